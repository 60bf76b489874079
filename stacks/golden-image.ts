import * as z from "zod";
import type { GoldenImage } from "../components/machine/libvirt/machine-storage.ts";

/** Placeholder for a missing image, so that a preview shows every resource. */
export const notBuilt: GoldenImage = { path: "image-not-made-yet", hash: "not-made-yet" };

export const goldenImageSchema = z.object({
  path: z.string(),
  hash: z.string(),
  uefi: z.object({ code: z.string(), variables: z.string() }).optional(),
});
