import * as libvirt from "@pulumi/libvirt";
import { hypervisorUri } from "./hypervisor-uri.ts";

/**
 * The libvirt provider of one hypervisor.
 *
 * @param uri of the settings
 */
export function hypervisorProvider(name: string, uri: string): libvirt.Provider {
  return new libvirt.Provider(
    name,
    { uri: hypervisorUri(uri) },
    // The bridge reports its own version as an input that is never stored.
    { ignoreChanges: ["version"] },
  );
}
