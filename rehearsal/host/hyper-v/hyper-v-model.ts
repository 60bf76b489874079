import * as z from "zod";
import type { WindowsHost } from "../windows-host.ts";

const machineSchema = z.strictObject({
  name: z.string(),
  id: z.string(),
  notes: z.string(),
  state: z.enum(["Off", "Running", "Saved", "Paused"]),
  generation: z.int(),
  secureBoot: z.boolean(),
  switchName: z.string(),
  macAddress: z.string(),
  cpus: z.int(),
  memoryMiB: z.int(),
  /** Full path of its disk. */
  disk: z.string(),
});

const modelSchema = z.strictObject({
  /** Whether its service runs. */
  runs: z.boolean().default(true),
  /** Whether its PowerShell module is there. */
  module: z.boolean().default(true),
  switches: z.array(
    z.strictObject({ name: z.string(), type: z.enum(["External", "Internal", "Private"]) }),
  ),
  /** Disks by their full path: image and machines' own. */
  disks: z.record(
    z.string(),
    z.strictObject({
      format: z.enum(["VHD", "VHDX"]),
      sizeGiB: z.int(),
      /** Generation of the machines that start from it. */
      bootsWith: z.int(),
    }),
  ),
  logicalProcessors: z.int().default(8),
  memoryMiB: z.int().default(65_536),
  /** What the DHCP server of the segment gives to a MAC address. */
  leases: z.record(z.string(), z.string()).default({}),
  machines: z.array(machineSchema).default([]),
});

/** A virtual machine. */
export type ModelledMachine = z.infer<typeof machineSchema>;
/** Hyper-V as a test or a person writes it. */
export type HyperVSetting = z.input<typeof modelSchema>;
/** Hyper-V of a rehearsal host. */
export type HyperVModel = z.infer<typeof modelSchema>;

/** Where it lies on drive C:; a host without that file has no Hyper-V. */
export const hyperVPath = "C:\\rehearsal\\hyper-v.json";

/** Hyper-V of a host; undefined where it has none. */
export async function loadHyperV({ drive }: WindowsHost): Promise<HyperVModel | undefined> {
  const text = await drive.readText(hyperVPath);
  return text === undefined ? undefined : modelSchema.parse(JSON.parse(text));
}

export async function saveHyperV({ drive }: WindowsHost, setting: HyperVSetting): Promise<void> {
  const model = modelSchema.parse(setting);
  await drive.writeRegardless(hyperVPath, `${JSON.stringify(model, undefined, 2)}\n`);
}

/** Whether two paths are one: Windows does not tell letters' cases apart. */
export function samePath(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The disk at a path. */
export function diskAt(model: HyperVModel, path: string): HyperVModel["disks"][string] | undefined {
  return Object.entries(model.disks).find(([each]) => samePath(each, path))?.[1];
}

/** Addresses that a machine's own Windows tells: one that does not boot tells none. */
export function addressesOf(model: HyperVModel, machine: ModelledMachine): string[] {
  const lease = model.leases[machine.macAddress];
  const boots = diskAt(model, machine.disk)?.bootsWith === machine.generation;
  return machine.state === "Running" && boots && lease !== undefined ? [lease] : [];
}
