import { RunError } from "@pulumi/pulumi/errors.js";
import * as z from "zod";
import { parseJson } from "../../toolchain/parse-json.ts";

const artifact = z.object({
  fileName: z.string().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits in lower case"),
});

export const imageManifestSchema = z.object({
  windowsBuild: z.string(),
  media: z.object({
    containerd: artifact,
    kubelet: artifact,
    kubeadm: artifact,
    kubeLogRunner: artifact,
    crictl: artifact.optional(),
    flannel: artifact.optional(),
    flannelPlugin: artifact.optional(),
    cniPlugins: artifact.optional(),
  }),
});

export type CarriedArtifact = z.infer<typeof artifact>;

/** The programs that an image has in `C:\kindows\media\<sha256>\<fileName>`, as recorded by its build. */
export type ImageManifest = z.infer<typeof imageManifestSchema>;

/**
 * Parses the manifest beside an image.
 *
 * @param text the file's content.
 * @throws RunError, which Pulumi prints without a stack trace, if it is not JSON or does not match the schema.
 */
export function parseImageManifest(text: string): ImageManifest {
  const value = parseJson(text);
  if (value === undefined) {
    throw new RunError("the image's manifest is not JSON; build the image again");
  }
  const parsed = imageManifestSchema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((each) => `${each.path.join(".")}: ${each.message}`);
    throw new RunError(
      `the image's manifest is wrong (${problems.join("; ")}); build the image again`,
    );
  }
  return parsed.data;
}
