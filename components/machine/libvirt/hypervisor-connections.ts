import path from "node:path";
import { writeWhole } from "../../../host/write-whole.ts";
import { localFolder, projectRoot } from "../../../toolchain/project.ts";
import { labNames } from "../../../config/names.ts";
import type { RemoteHypervisorSettings, ThisHypervisor } from "./settings.ts";
import type { SshServer } from "../existing/machine-parameter.ts";

/** A libvirt on another host, and how to log in to it. */
export type RemoteHypervisor = Pick<
  RemoteHypervisorSettings,
  "name" | "uri" | "hostKey" | "privateKeyFile"
>;

/** The same with the connection URIs for the libvirt provider and for virsh. */
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

type HypervisorServer = SshServer & Pick<RemoteHypervisor, "privateKeyFile">;

/** The SSH server of a hypervisor; undefined for this host. */
export function sshServerOf(
  name: string,
  { hypervisors }: { readonly hypervisors: readonly RemoteHypervisor[] },
): HypervisorServer | undefined {
  const hypervisor = hypervisors.find((one) => one.name === name);
  return hypervisor && sshServer(hypervisor);
}

function sshServer({ uri, hostKey, privateKeyFile }: RemoteHypervisor): HypervisorServer {
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
 * The line of a known_hosts file that pins the hypervisor's host key, in OpenSSH's format: the name includes the port
 * if it is not 22.
 */
export function pinnedHostKey(hypervisor: RemoteHypervisor): string {
  const { host, port, hostKey } = sshServer(hypervisor);
  const [type = "", key = ""] = hostKey.trim().split(/\s+/);
  const name = port === 22 ? host : `[${host}]:${port}`;
  return `${name} ${type} ${key}\n`;
}

/**
 * The URI for the libvirt provider, which has its own SSH client (libvirt/uri/ssh.go of 0.8.3). It names the key and
 * the known_hosts file, and excludes the agent. The client still reads other settings of a matching `Host` in
 * ~/.ssh/config.
 */
export function providerUri(hypervisor: RemoteHypervisor, knownHostsFile: string): string {
  const [pins, key] = [knownHostsFile, hypervisor.privateKeyFile].map((file) =>
    encodeURIComponent(file).replaceAll("%2F", "/"),
  );
  return `${hypervisor.uri}?knownhosts=${pins}&keyfile=${key}&sshauth=privkey`;
}

/**
 * The URI for virsh. It uses libssh, because with `qemu+ssh` libvirt runs the program ssh and cannot pass it a
 * known_hosts file (https://libvirt.org/uri.html). A host with another key is refused without a prompt.
 */
export function virshUri(hypervisor: RemoteHypervisor, knownHostsFile: string): string {
  return providerUri(hypervisor, knownHostsFile)
    .replace(/^qemu\+ssh:/, "qemu+libssh:")
    .replace("?knownhosts=", "?known_hosts_verify=normal&known_hosts=");
}
