import * as libvirt from "@pulumi/libvirt";
import * as pulumi from "@pulumi/pulumi";
import { isPreviewAnywhere } from "../../preview-anywhere.ts";
import { absentLibvirt } from "./absent-libvirt.ts";

/**
 * The libvirt provider of one hypervisor.
 *
 * @param uri of the settings
 */
export function hypervisorProvider(
  name: string,
  uri: string,
  opts?: pulumi.ResourceOptions,
): libvirt.Provider {
  return new libvirt.Provider(
    name,
    { uri: hypervisorUri(uri) },
    // The bridge reports its own version as an input that is never stored.
    { ...opts, ignoreChanges: ["version"] },
  );
}

/**
 * Where the libvirt provider connects to.
 *
 * It connects as soon as it knows, also for a preview, which then fails where there is no libvirt; and one that does not
 * know compares nothing: to the engine every machine would be another one, and all that was done on it be done again.
 * So it is given a libvirt that only lets it in. Where that is is nobody's business, and another place each time.
 *
 * @param uri of the settings
 */
function hypervisorUri(uri: string): pulumi.Input<string> {
  return isPreviewAnywhere() ? pulumi.secret(absentLibvirt()) : uri;
}
