import * as pulumi from "@pulumi/pulumi";
import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
import { absentLibvirt } from "./absent-libvirt.ts";

/** Set to `anywhere`, it makes a preview ask no daemon of this host; an `up` takes no notice of it. */
export const previewVariable = "KINDOWS_PREVIEW";

/**
 * Where the libvirt provider connects to.
 *
 * It connects as soon as it knows, also for a preview, which then fails where there is no libvirt; and one that does not
 * know compares nothing: to the engine every machine would be another one, and all that was done on it be done again.
 * So it is given a libvirt that only lets it in. Where that is is nobody's business, and another place each time.
 *
 * @param uri of the settings
 */
export function hypervisorUri(uri: string): pulumi.Input<string> {
  if (process.env[previewVariable] !== "anywhere" || !isDryRun()) {
    return uri;
  }
  return pulumi.secret(absentLibvirt());
}
