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

type ToldMachine = z.infer<typeof machineSchema>;

/**
 * Makes a machine, or goes on with one that was begun, and waits until its Windows has told Hyper-V that it has its
 * address: only then is it known that the image starts there, and that the switch is on the lab's segment.
 *
 * @param identity its identity disc, an ISO image; secret.
 * @returns its id, another one for each instance.
 * @throws when the host refuses it, or it has another address, or none, at the end of the wait: with what was last seen.
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
  say(`${machineName} is there (${id}), waiting until it has ${address}`);
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

export async function machinesOf(session: HyperVSession): Promise<ToldMachine[]> {
  const { facts } = await session.run("Get-LabMachine");
  return z.array(machineSchema).parse(facts["machines"]);
}

function notReady(
  { name, address, generation }: HyperVMachineParameter,
  { host }: HyperVSession,
  seen: ToldMachine | undefined,
  seconds: number,
): string {
  if (seen === undefined) {
    return `the machine ${name} is gone again: somebody has removed it, or its notes, in Hyper-V's manager. Run again`;
  }
  if (seen.state !== "Running") {
    return `the machine ${name} does not run, it is ${seen.state}: start it in Hyper-V's manager, or look at the host's event log (Microsoft-Windows-Hyper-V-Worker) for why it stopped, then run again`;
  }
  if (seen.addresses.length === 0) {
    const kind = generation === 1 ? "with BIOS" : "with UEFI";
    return (
      `the machine ${name} has reported no address to Hyper-V within ${seconds} s, wanted is ${address}. ` +
      `Look at its screen (vmconnect): where it does not boot, ${host.baseDisk} is no image that was installed ${kind}, which generation ${generation} takes; ` +
      `where it does, the switch ${host.switchName} is not one segment with the lab's bridge`
    );
  }
  return (
    `the machine ${name} has ${seen.addresses.join(", ")} after ${seconds} s, wanted is ${address}: ` +
    `another DHCP server than the lab's answers on the switch ${host.switchName}, or it is not one segment with the lab's bridge`
  );
}

/** cloud-init's NoCloud form, by whose name the image's scripts find it. */
const label = "cidata";
const discSeconds = 60;

/**
 * The disc that tells a machine who it is, as an ISO image: made as libvirt's provider makes its own
 * (libvirt/cloudinit_def.go of 0.8.3). What it is made of is gone from this host afterwards.
 *
 * @throws where mkisofs is missing or fails; never with what is on the disc.
 */
export async function identityDisc({ userData, metaData }: IdentityParameter): Promise<Buffer> {
  // mkdtemp makes it for its owner alone.
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
