import * as z from "zod";

/** An archive of images for Linux nodes. */
export const imageArchiveSchema = z.strictObject({
  /** Absolute path on this host. */
  path: z.string(),
  /** SHA-256 of the file, in lower case. */
  sha256: z.string(),
});

export type ImageArchive = z.infer<typeof imageArchiveSchema>;
