import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pinnedHostKey, providerUri, virshUri } from "./remote-hypervisor.ts";
import { localFolder } from "../../../toolchain/project.ts";
import { labNames } from "../../../config/names.ts";
import type { Settings } from "../../../config/settings.ts";

/** A hypervisor on another host, with its addresses for those who connect to it. */
export interface HypervisorConnection {
  readonly name: string;
  /** As the settings have it: for people. */
  readonly uri: string;
  /** For the libvirt provider. */
  readonly providerUri: string;
  /** For virsh. */
  readonly virshUri: string;
  readonly privateKeyFile: string;
  /** Linux bridge there that is on the lab's segment. */
  readonly bridge: string;
  readonly domainType: "kvm" | "qemu";
}

/**
 * The further hypervisors of a lab, their host keys pinned in a file for each of them.
 *
 * The files lie beside the state, which names them: `pulumi destroy` connects without running this program.
 */
export function hypervisorConnections({
  lab,
  hypervisor,
  hypervisors,
}: Pick<Settings, "lab" | "hypervisor" | "hypervisors">): HypervisorConnection[] {
  return hypervisors.map((one) => {
    const pins = pinsFile(lab.name, one.name);
    writePins(pins, pinnedHostKey(one));
    return {
      name: one.name,
      uri: one.uri,
      providerUri: providerUri(one, pins),
      virshUri: virshUri(one, pins),
      privateKeyFile: one.privateKeyFile,
      bridge: one.bridge,
      domainType: one.domainType ?? hypervisor.domainType,
    };
  });
}

function pinsFile(lab: string, hypervisor: string): string {
  return path.join(localFolder, "hypervisors", `${labNames(lab).prefix}.${hypervisor}.known_hosts`);
}

/** Whole at any time: the engine's provider and a command may read it meanwhile. */
function writePins(file: string, content: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o600 });
  renameSync(draft, file);
}
