import path from "node:path";
import { writeWhole } from "../../../host/write-whole.ts";
import { localFolder, projectRoot } from "../../../toolchain/project.ts";
import { labNames } from "../../../config/names.ts";
import type { RemoteHypervisorSettings, ThisHypervisor } from "./settings.ts";
import { pinnedHostKey, providerUri, virshUri } from "./remote-hypervisor.ts";

/** A libvirt on another host, with the connection URIs for the libvirt provider and for virsh. */
export type HypervisorConnection = RemoteHypervisorSettings & {
  readonly domainType: "kvm" | "qemu";
  readonly providerUri: string;
  readonly virshUri: string;
};

/** The settings of a lab that its hypervisors are found by. */
export interface HypervisorSettings {
  readonly lab: { readonly name: string };
  readonly hypervisor: Pick<ThisHypervisor, "domainType">;
  readonly hypervisors: readonly RemoteHypervisorSettings[];
}

/**
 * The lab's hypervisors on other hosts. Writes a known_hosts file with the pinned host key for each.
 *
 * The URIs in the state contain the paths of these files, because `pulumi destroy` connects without running the
 * program. The paths are relative to the project, where the engine runs, so that they are the same in every clone.
 */
export function hypervisorConnections({
  lab,
  hypervisor,
  hypervisors,
}: HypervisorSettings): HypervisorConnection[] {
  return hypervisors.map((one) => {
    const name = `${labNames(lab.name).prefix}.${one.name}.known_hosts`;
    const file = path.join(localFolder, "hypervisors", name);
    // The provider or a command may read the file at the same time.
    writeWhole(file, pinnedHostKey(one), 0o600);
    const pins = path.relative(projectRoot, file);
    return {
      ...one,
      domainType: one.domainType ?? hypervisor.domainType,
      providerUri: providerUri(one, pins),
      virshUri: virshUri(one, pins),
    };
  });
}
