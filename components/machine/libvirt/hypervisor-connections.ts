import path from "node:path";
import { writeWhole } from "../../../host/write-whole.ts";
import { localFolder, projectRoot } from "../../../toolchain/project.ts";
import { labNames } from "../../../config/names.ts";
import type { Settings } from "../../../config/settings.ts";
import type { Place } from "../existing/machine-parameter.ts";

/** A libvirt on another host, and how it is logged in to. */
export type RemoteHypervisor = Pick<
  Settings["hypervisors"][number],
  "name" | "uri" | "hostKey" | "privateKeyFile"
>;

/** The same with its addresses for those who connect to it: the libvirt provider, and virsh. */
export type HypervisorConnection = Settings["hypervisors"][number] & {
  readonly domainType: "kvm" | "qemu";
  readonly providerUri: string;
  readonly virshUri: string;
};

/**
 * The further hypervisors of a lab, their host keys pinned in a file for each of them.
 *
 * The state names these files, as `pulumi destroy` connects without running this program: by paths in the project, where
 * the engine runs, so that they are the same in every clone.
 */
export function hypervisorConnections({
  lab,
  hypervisor,
  hypervisors,
}: Pick<Settings, "lab" | "hypervisor" | "hypervisors">): HypervisorConnection[] {
  return hypervisors.map((one) => {
    const name = `${labNames(lab.name).prefix}.${one.name}.known_hosts`;
    const file = path.join(localFolder, "hypervisors", name);
    // The engine's provider and a command may read it meanwhile.
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

type SshServer = Place & Pick<RemoteHypervisor, "privateKeyFile">;

/** The SSH server of a lab's further hypervisor; undefined for this host. */
export function sshServerOf(
  name: string,
  { hypervisors }: Pick<Settings, "hypervisors">,
): SshServer | undefined {
  const hypervisor = hypervisors.find((one) => one.name === name);
  return hypervisor && sshServer(hypervisor);
}

function sshServer({ uri, hostKey, privateKeyFile }: RemoteHypervisor): SshServer {
  const { hostname, port, username } = new URL(uri);
  return {
    host: hostname,
    port: port === "" ? 22 : Number(port),
    user: decodeURIComponent(username),
    hostKey,
    privateKeyFile,
  };
}

/**
 * The one line of a known_hosts file that pins the hypervisor's host key, as OpenSSH writes it: another port than 22 is
 * part of the name.
 */
export function pinnedHostKey(hypervisor: RemoteHypervisor): string {
  const { host, port, hostKey } = sshServer(hypervisor);
  const [type = "", key = ""] = hostKey.trim().split(/\s+/);
  const name = port === 22 ? host : `[${host}]:${port}`;
  return `${name} ${type} ${key}\n`;
}

/**
 * The address as the libvirt provider takes it, whose SSH is its own (libvirt/uri/ssh.go of 0.8.3): key and pin, and
 * nothing of an agent. A `Host` of ~/.ssh/config that fits still counts there, but for these.
 */
export function providerUri(hypervisor: RemoteHypervisor, knownHostsFile: string): string {
  const [pins, key] = [knownHostsFile, hypervisor.privateKeyFile].map((file) =>
    encodeURIComponent(file).replaceAll("%2F", "/"),
  );
  return `${hypervisor.uri}?knownhosts=${pins}&keyfile=${key}&sshauth=privkey`;
}

/**
 * The address as virsh takes it. Over libssh: with `qemu+ssh` libvirt runs the program ssh, which takes no file of pins
 * (https://libvirt.org/uri.html). A host with another key is refused, never asked about.
 */
export function virshUri(hypervisor: RemoteHypervisor, knownHostsFile: string): string {
  return providerUri(hypervisor, knownHostsFile)
    .replace(/^qemu\+ssh:/, "qemu+libssh:")
    .replace("?knownhosts=", "?known_hosts_verify=normal&known_hosts=");
}
