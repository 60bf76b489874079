import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { runProgram } from "../../../host/run-program.ts";
import { installText, thisPackageManager } from "../../../toolchain/host-packages.ts";
import type { HyperVSession } from "./host-session.ts";
import type { HyperVMachineParameter, IdentityParameter } from "./parameters.ts";

const machineSchema = z.object({
  name: z.string(),
  id: z.string(),
  making: z.string(),
  state: z.string(),
  addresses: z.array(z.string()),
});

type ReportedMachine = z.infer<typeof machineSchema>;

/**
 * Makes a machine, or completes one that an interrupted run has begun. Waits until Windows reports the machine's
 * address to Hyper-V, which proves that the image boots and that the switch is on the lab's segment.
 *
 * @param identity the identity disc, an ISO image; secret.
 * @returns the machine's id, which is unique for each instance.
 * @throws if the host refuses the machine, or the machine does not have its address when the time limit ends. The error
 * says what was last seen.
 */
export async function makeMachine(
  session: HyperVSession,
  machine: HyperVMachineParameter,
  identity: Buffer,
  wait: { readonly seconds: number; readonly pauseSeconds: number },
  say: (line: string) => void,
): Promise<string> {
  const { name: machineName, address } = machine;
  const inputs = { ...machine, machineName };
  const { facts } = await session.run("New-LabMachine", inputs, identity.toString("base64"));
  const { id } = z.object({ id: z.string() }).parse(facts);
  say(`${machineName} is made (${id}), waiting until it has ${address}`);
  const deadline = Date.now() + wait.seconds * 1000;
  for (;;) {
    const seen = (await machinesOf(session)).find((each) => each.id === id);
    if (seen?.addresses.includes(address) === true) {
      say(`${machineName} has ${address}`);
      return id;
    }
    if (seen === undefined || Date.now() > deadline) {
      throw new Error(notReady(machine, session, seen, wait.seconds));
    }
    await sleep(wait.pauseSeconds * 1000);
  }
}

export async function machinesOf(session: HyperVSession): Promise<ReportedMachine[]> {
  const { facts } = await session.run("Get-LabMachine");
  return z.array(machineSchema).parse(facts["machines"]);
}

function notReady(
  { name, address, generation }: HyperVMachineParameter,
  { host }: HyperVSession,
  seen: ReportedMachine | undefined,
  seconds: number,
): string {
  if (seen === undefined) {
    return `the machine ${name} is gone again: it, or its notes, were removed in Hyper-V Manager. Run again`;
  }
  if (seen.state !== "Running") {
    return `the machine ${name} does not run, it is ${seen.state}: start it in Hyper-V Manager, or look at the host's event log (Microsoft-Windows-Hyper-V-Worker) for why it stopped, then run again`;
  }
  if (seen.addresses.length === 0) {
    const kind = generation === 1 ? "with BIOS" : "with UEFI";
    return (
      `the machine ${name} has reported no address to Hyper-V within ${seconds} s, but should have ${address}. ` +
      `Look at its screen (vmconnect): if it does not boot, ${host.baseDisk} is not an image that was installed ${kind}, which generation ${generation} needs; ` +
      `if it does, the switch ${host.switchName} is not on the same segment as the lab's bridge`
    );
  }
  return (
    `the machine ${name} has ${seen.addresses.join(", ")} after ${seconds} s, but should have ${address}: ` +
    `a DHCP server other than the lab's answers on the switch ${host.switchName}, or the switch is not on the same segment as the lab's bridge`
  );
}

/** Volume label of cloud-init's NoCloud format, by which the image's scripts find the disc. */
const label = "cidata";
const discSeconds = 60;

/**
 * Makes the identity disc of a machine, an ISO image, in the same way as the libvirt provider (libvirt/cloudinit_def.go
 * of 0.8.3). Its files on this host are removed afterwards.
 *
 * @throws if mkisofs is missing or fails. The error does not contain the content of the disc.
 */
export async function identityDisc({ userData, metaData }: IdentityParameter): Promise<Buffer> {
  // mkdtemp makes a folder that only its owner can read.
  const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-identity-"));
  try {
    const [user, meta] = [path.join(folder, "user-data"), path.join(folder, "meta-data")];
    await writeFile(user, userData, { mode: 0o600 });
    await writeFile(meta, metaData, { mode: 0o600 });
    const iso = path.join(folder, "identity.iso");
    const names = ["-output", iso, "-volid", label, "-joliet", "-rock"];
    const { how, reason } = await runProgram("mkisofs", [...names, user, meta], discSeconds);
    if (how !== "well") {
      const install = installText(await thisPackageManager(), ["genisoimage"]);
      throw new Error(`the identity disc cannot be made: ${reason} (${install})`);
    }
    return await readFile(iso);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
