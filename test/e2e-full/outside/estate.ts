import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import { bareMachines, succeeded, TestLab, virsh } from "../../e2e/lab.ts";
import { makeBaseDisk, type ProgramChecksums } from "./base-disk.ts";
import { letIn, removeBastion, shutOut, startBastion } from "./bastion.ts";
import { OutsideCluster } from "./outside-cluster.ts";
import { OutsideMachine } from "./outside-machine.ts";
import { bridge, imagesFolder, outside, segment } from "./outside-names.ts";
import { makeKeyFile, type KeyFile, type SshDaemon } from "./ssh-daemon.ts";

const [network] = segment.cidr.split(".0/");
const addresses = { bastion: `${network}.5`, first: `${network}.10`, second: `${network}.11` };
const macs = { first: "52:54:00:0e:1e:0a", second: "52:54:00:0e:1e:0b" };

/** Of the stack that joins all of it. */
export const estateLab = new TestLab("e2eexisting");

/** Has on this host all that the guest, kind and the daemons need, and nothing that a killed test has left. */
export async function clearHost(): Promise<void> {
  await estateLab.configure(bareMachines);
  await succeeded(estateLab.kindows("prepare"));
  await removeAll();
  // Fails where there is none.
  await estateLab.withEnvironment("pulumi stack rm --yes --force --non-interactive");
}

/**
 * What somebody has who comes to kindows late: a cluster made by kind, two machines, and a bastion before the second,
 * whose SSH server this host cannot reach. Made with kind, libvirt, Docker and sshd alone.
 */
export class Estate {
  private constructor(
    private readonly folder: string,
    readonly cluster: OutsideCluster,
    readonly machines: readonly [OutsideMachine, OutsideMachine],
    readonly bastion: SshDaemon,
    readonly bastionAddress: string,
    /** Logs in to machines and bastion. */
    readonly login: KeyFile,
    readonly checksums: ProgramChecksums,
  ) {}

  /** Makes all of it; the machines are off. */
  static async make(): Promise<Estate> {
    const folder = await mkdtemp(path.join(os.tmpdir(), "outside-"));
    await mkdir(imagesFolder, { recursive: true });
    const definition = path.join(folder, "network.xml");
    await writeFile(definition, networkXml());
    await virsh("net-define", definition);
    await virsh("net-start", outside);
    const login = await makeKeyFile(path.join(folder, "login"));
    const base = path.join(imagesFolder, "base.raw");
    const [checksums, cluster] = await Promise.all([
      makeBaseDisk(base, path.join(imagesFolder, "programs")),
      OutsideCluster.make(folder),
    ]);
    const machine = (name: string, which: "first" | "second"): Promise<OutsideMachine> =>
      OutsideMachine.make({
        ...{ name, address: addresses[which], mac: macs[which], base },
        loginKey: login.publicKey,
      });
    const machines = [await machine("win-1", "first"), await machine("win-2", "second")] as const;
    const bastion = await startBastion(addresses.bastion, path.join(folder, "bastion"), login);
    await shutOut(addresses.second);
    return new Estate(folder, cluster, machines, bastion, addresses.bastion, login, checksums);
  }

  async remove(): Promise<void> {
    await this.bastion.stop();
    await removeAll();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function removeAll(): Promise<void> {
  await letIn(addresses.second);
  await removeBastion();
  const domains = (await virsh("list", "--all", "--name")).split("\n");
  for (const domain of domains.filter((name) => name.startsWith(`${outside}-`))) {
    await execa("virsh", ["-c", "qemu:///system", "destroy", domain], { reject: false });
    await virsh("undefine", domain);
  }
  await OutsideCluster.remove();
  for (const command of ["net-destroy", "net-undefine"]) {
    await execa("virsh", ["-c", "qemu:///system", command, outside], { reject: false });
  }
  await rm(imagesFolder, { recursive: true, force: true });
}

function networkXml(): string {
  const { gateway, machines } = segment;
  const host = (name: string, mac: string, address: string): string =>
    `<host mac='${mac}' name='${name}' ip='${address}'/>`;
  return `<network>
  <name>${outside}</name>
  <forward mode='nat'/>
  <bridge name='${bridge}'/>
  <ip address='${gateway}' prefix='24'>
    <dhcp>
      <range start='${machines.first}' end='${machines.last}'/>
      ${host("win-1", macs.first, addresses.first)}
      ${host("win-2", macs.second, addresses.second)}
    </dhcp>
  </ip>
</network>
`;
}
