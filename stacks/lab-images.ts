import * as pulumi from "@pulumi/pulumi";
import * as z from "zod";
import { isPreviewAnywhere } from "../components/preview-anywhere.ts";
import { locatedLinuxImage } from "../components/linux/cloud-image/located.ts";
import type { LinuxPrograms } from "../components/linux/steps.ts";
import type { GoldenImage } from "../components/machine/libvirt/machine-storage.ts";
import type { Settings } from "../config/settings.ts";
import { builtSoFar } from "../toolchain/built.ts";
import { kubernetesVersion } from "../toolchain/tools/table.ts";
import { goldenImageSchema, notMadeYet } from "./machine-image.ts";

/** What was found of an image, and the settings that asked for it. */
const usedSchema = z.record(z.string(), z.object({ asked: z.string(), found: z.unknown() }));

type Used = z.infer<typeof usedSchema>;

/**
 * The images that a lab is made from. Many are made, downloaded or converted on its own host, so only that knows their
 * hashes: they are an output of the stack, and a preview on any other host takes them from there.
 */
export class LabImages {
  readonly used: Used = {};

  constructor(private readonly recorded: Used = {}) {}

  /** What the stack's state has of them is looked up only for a preview that is to work anywhere. */
  static async ofStack(): Promise<LabImages> {
    return new LabImages(isPreviewAnywhere() ? await recordedImages() : {});
  }

  /**
   * One of the images.
   *
   * @param asked the settings that it depends on: the state's is taken only for the same ones.
   * @param find looks for it on this host.
   */
  of<T>(name: string, asked: unknown, schema: z.ZodType<T>, find: () => T): T {
    const key = JSON.stringify(asked);
    const before = this.recorded[name];
    const found = before?.asked === key ? schema.parse(before.found) : find();
    this.used[name] = { asked: key, found };
    return found;
  }
}

/** The stack's output of its last `up`; nothing where there was none. */
async function recordedImages(): Promise<Used> {
  const stack = [pulumi.getOrganization(), pulumi.getProject(), pulumi.getStack()].join("/");
  const result: unknown = await pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", {
    name: stack,
  });
  return outputsSchema.parse(result).outputs.images ?? {};
}

const outputsSchema = z.object({ outputs: z.object({ images: usedSchema.optional() }) });

// Built by `kindows prepare`. A preview works without them, on a machine that has built nothing; the preflight checks that
// they exist.

/** The disk that Linux machines start from. */
export function linuxImage({ linux }: Pick<Settings, "linux">, images: LabImages): GoldenImage {
  return images.of("linux", linux.image, goldenImageSchema, () => {
    const image = locatedLinuxImage(linux.image);
    return typeof image === "object" ? image : notMadeYet;
  });
}

/** The programs that are installed on them. */
export function linuxPrograms(images: LabImages): LinuxPrograms {
  const sha256 = images.of(
    "linuxPrograms",
    kubernetesVersion,
    z.string(),
    () => builtSoFar().linuxPrograms?.sha256 ?? notMadeYet.hash,
  );
  return { path: builtSoFar().linuxPrograms?.path, sha256, kubernetesVersion };
}
