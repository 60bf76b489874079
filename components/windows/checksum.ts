import * as pulumi from "@pulumi/pulumi";
import { unpinned, unpinnedMessage, type Medium, type WindowsSoftware } from "./software.ts";

/**
 * Checksums of a machine's software, as inputs of its steps.
 *
 * One that nobody has pinned yet is not known in a preview, which goes on with a warning; `pulumi up` fails before
 * anything is made.
 *
 * @param host computer name, for the message.
 * @throws pulumi.ResourceError outside previews, when one is missing.
 */
export function checksums(
  host: string,
  software: WindowsSoftware,
  parent: pulumi.Resource,
): (medium: Medium) => pulumi.Output<string> {
  const missing = unpinned(software);
  if (missing.length === 0) {
    return ({ sha256 }) => pulumi.output(sha256 ?? "");
  }
  const message = `${host}: ${unpinnedMessage(missing)}`;
  if (!pulumi.runtime.isDryRun()) {
    throw new pulumi.ResourceError(message, parent);
  }
  const unknown = pulumi.output(
    pulumi.log
      .warn(`\`pulumi up\` will fail. ${message}`, parent)
      .then(() => pulumi.unknown as unknown as string),
  );
  return ({ sha256 }) => (sha256 === undefined ? unknown : pulumi.output(sha256));
}
