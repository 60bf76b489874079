/**
 * Hyper-V: virtual machines, disks and switches. No virtual machine really runs.
 *
 * Sources: https://learn.microsoft.com/powershell/module/hyper-v (each cmdlet's page, and New-VM's for the defaults),
 * https://learn.microsoft.com/windows/win32/hyperv_v2/msvm-computersystem (states).
 */
import { randomUUID } from "node:crypto";
import * as z from "zod";
import { cmdlets, type Call, type Cmdlet } from "../powershell/commands.ts";
import { convert } from "../powershell/convert.ts";
import * as is from "../powershell/types.ts";
import type { Types } from "../powershell/types.ts";
import { NetObject, Num } from "../powershell/values.ts";
import type { Drive } from "../machine/drive.ts";
import { object, refuse } from "./objects.ts";

const states = { Off: 3, Running: 2, Saved: 6, Paused: 9 } as const;
const switchTypes = { Private: 0, Internal: 1, External: 2 } as const;
const formats = { VHD: 2, VHDX: 3 } as const;

const machineSchema = z.strictObject({
  name: z.string(),
  id: z.string(),
  notes: z.string(),
  state: z.enum(Object.keys(states) as (keyof typeof states)[]),
  generation: z.int(),
  secureBoot: z.boolean(),
  switchName: z.string(),
  macAddress: z.string(),
  cpus: z.int(),
  memoryMiB: z.int(),
  disk: z.string(),
  /** Full paths of the discs in its DVD drives. "" for an empty drive. */
  discs: z.array(z.string()).default([]),
  /** Other settings by parameter name. */
  settings: z.record(z.string(), z.string()).default({}),
});

export const hyperVSchema = z.strictObject({
  /** Whether Hyper-V's service is running. */
  runs: z.boolean().default(true),
  /** Whether Hyper-V's PowerShell module is installed. */
  module: z.boolean().default(true),
  switches: z.array(
    z.strictObject({
      name: z.string(),
      type: z.enum(Object.keys(switchTypes) as (keyof typeof switchTypes)[]),
    }),
  ),
  logicalProcessors: z.int().default(8),
  /** The address that the segment's DHCP server gives to each MAC address. */
  leases: z.record(z.string(), z.string()).default({}),
  machines: z.array(machineSchema).default([]),
});

/** The content of a virtual disk's file. */
export const diskSchema = z.strictObject({
  format: z.enum(Object.keys(formats) as (keyof typeof formats)[]),
  sizeGiB: z.int(),
  /** Generation of the machines that can boot from it. */
  bootsWith: z.int(),
  /** Full path of the parent disk. */
  parent: z.string().optional(),
});

type Machine = z.infer<typeof machineSchema>;
export type HyperV = z.infer<typeof hyperVSchema>;

/** Matches the commands of Hyper-V's PowerShell module, in lower case. */
export const hyperVCommand = /^[a-z]+-v(m|hd)/;

const namespace = "Microsoft.HyperV.PowerShell";
const failure = `${namespace}.VirtualizationException`;
const virtualMachine = `${namespace}.VirtualMachine`;

function isOn({ state }: Machine): boolean {
  return state === "Running" || state === "Paused";
}

/** Memory of the host that is assigned to its virtual machines. */
export function memoryTakenMiB({ machines }: HyperV): number {
  return machines.filter(isOn).reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);
}

export function isMachineFile({ machines }: HyperV, path: string): boolean {
  const files = machines.filter(isOn).flatMap(({ disk, discs }) => [disk, ...discs]);
  return files.some((each) => each.toLowerCase() === path.toLowerCase());
}

type VirtualMachine = NetObject<Machine>;
/** A DVD drive: its machine, and its index there. */
type DvdDrive = NetObject<{ readonly machine: Machine; readonly index: number }>;

export function defineHyperVTypes(types: Types): void {
  types.define({ name: failure, base: "System.SystemException" });
  const state = types.define({ name: `${namespace}.VMState`, enumeration: states });
  types.define({ name: `${namespace}.VMSwitchType`, enumeration: switchTypes });
  types.define({ name: "Microsoft.Vhd.PowerShell.VhdFormat", enumeration: formats });
  types.define({
    name: virtualMachine,
    properties: {
      Name: ({ state: { name } }: VirtualMachine) => name,
      Id: ({ state: { id } }: VirtualMachine) => new NetObject(types.get("System.Guid"), id),
      Notes: ({ state: { notes } }: VirtualMachine) => notes,
      State: (self: VirtualMachine) => convert(self.state.state, state),
      MemoryAssigned: (self: VirtualMachine) =>
        isOn(self.state) ? BigInt(self.state.memoryMiB) << 20n : 0n,
    },
  });
  types.define({ name: `${namespace}.DvdDrive` });
  types.define({ name: `${namespace}.HardDiskDrive` });
}

export function hyperVCmdlets(drive: Drive, hyperV: HyperV | undefined): readonly Cmdlet[] {
  if (hyperV?.module !== true) return [];
  const of = (call: Call): Machine => (call.get("VM") as VirtualMachine).state;
  /** Whether a file exists. Reports an error if it does not. */
  const isThere = async (call: Call, path: string): Promise<boolean> => {
    const found = await drive.isFile(path);
    if (!found) {
      const message = `The system cannot find the file '${path}'.`;
      await refuse(call, message, "ObjectNotFound", failure);
    }
    return found;
  };
  const keep = (call: Call, ...names: readonly string[]): void => {
    for (const name of names) {
      const value = call.text(name);
      if (value !== undefined) of(call).settings[name] = value;
    }
  };
  const VM = `-VM <${virtualMachine}>`;
  const adapter = "[-StaticMacAddress <string>] [-MacAddressSpoofing {On | Off}]";
  const settings =
    "[-Notes <string>] [-ProcessorCount <long>] [-StaticMemory] " +
    "[-CheckpointType {Disabled | Standard | Production | ProductionOnly}] " +
    "[-AutomaticStartAction {Nothing | StartIfRunning | Start}] " +
    "[-AutomaticStopAction {TurnOff | Save | ShutDown}]";
  const newMachine =
    "-Name <string> -Path <string> [-Generation <int>] -SwitchName <string> " +
    "-MemoryStartupBytes <long> -VHDPath <string>";
  return cmdlets({
    "Get-VMHost": (call) => call.emit(object({ LogicalProcessorCount: hyperV.logicalProcessors })),
    async "Get-VMSwitch"(call) {
      const kind = call.shell.types.get(`${namespace}.VMSwitchType`);
      for (const { name, type } of hyperV.switches) {
        await call.emit(object({ Name: name, SwitchType: convert(type, kind) }));
      }
    },
    async "Get-VHD -Path <string>"(call) {
      const path = call.text("Path") ?? "";
      if (await isThere(call, path)) {
        const { format, sizeGiB } = await diskAt(drive, path);
        const kind = call.shell.types.get("Microsoft.Vhd.PowerShell.VhdFormat");
        const size = new Num(is.uint64, sizeGiB * 2 ** 30);
        await call.emit(object({ VhdFormat: convert(format, kind), Size: size }));
      }
    },
    async "New-VHD -Path <string> -ParentPath <string> [-Differencing] [-SizeBytes <uint64>]"(
      call,
    ) {
      const [path = "", parent = ""] = [call.text("Path"), call.text("ParentPath")];
      if (await drive.isFile(path)) {
        const message = `The file '${path}' exists. (0x80070050)`;
        await refuse(call, message, "OperationFailed", failure);
      } else if (await isThere(call, parent)) {
        const { sizeGiB: least, ...of } = await diskAt(drive, parent);
        const sizeGiB = (call.number("SizeBytes") ?? least * 2 ** 30) / 2 ** 30;
        await drive.write(path, JSON.stringify({ ...of, sizeGiB, parent }));
        await call.emit(object({ Path: path }));
      }
    },
    async "Get-VM"(call) {
      const type = call.shell.types.get(virtualMachine);
      for (const each of hyperV.machines) await call.emit(new NetObject(type, each));
    },
    async [`New-VM ${newMachine}`](call) {
      const generation = call.number("Generation") ?? 1;
      const [disk = "", switchName = ""] = [call.text("VHDPath"), call.text("SwitchName")];
      if (!hyperV.switches.some(({ name }) => name === switchName)) {
        const message = `Hyper-V was unable to find a virtual switch with name "${switchName}".`;
        await refuse(call, message, "ObjectNotFound", failure);
      } else if (await isThere(call, disk)) {
        const made: Machine = {
          name: call.text("Name") ?? "",
          id: randomUUID(),
          notes: "",
          state: "Off",
          generation,
          secureBoot: generation === 2,
          switchName,
          macAddress: "000000000000",
          cpus: 1,
          memoryMiB: (call.number("MemoryStartupBytes") ?? 0) / 2 ** 20,
          disk,
          discs: generation === 1 ? [""] : [],
          settings: {},
        };
        hyperV.machines.push(made);
        await call.emit(new NetObject(call.shell.types.get(virtualMachine), made));
      }
    },
    [`Set-VM ${VM} ${settings}`](call) {
      const { notes, cpus } = of(call);
      of(call).notes = call.text("Notes") ?? notes;
      of(call).cpus = call.number("ProcessorCount") ?? cpus;
      keep(call, "StaticMemory", "CheckpointType", "AutomaticStartAction", "AutomaticStopAction");
    },
    async [`Get-VMNetworkAdapter ${VM}`](call) {
      const addresses = await addressesOf(drive, hyperV, of(call));
      await call.emit(object({ IPAddresses: is.array(addresses) }));
    },
    [`Set-VMNetworkAdapter ${VM} ${adapter}`](call) {
      of(call).macAddress = call.text("StaticMacAddress") ?? of(call).macAddress;
      keep(call, "MacAddressSpoofing");
    },
    [`Get-VMHardDiskDrive ${VM}`](call) {
      const type = call.shell.types.get(`${namespace}.HardDiskDrive`);
      return call.emit(object({ Path: of(call).disk }, type));
    },
    async [`Get-VMDvdDrive ${VM}`](call) {
      const type = call.shell.types.get(`${namespace}.DvdDrive`);
      for (const index of of(call).discs.keys()) {
        await call.emit(new NetObject(type, { machine: of(call), index }));
      }
    },
    async [`Add-VMDvdDrive ${VM} -Path <string>`](call) {
      const path = call.text("Path") ?? "";
      if (await isThere(call, path)) of(call).discs.push(path);
    },
    async [`Set-VMDvdDrive -VMDvdDrive <${namespace}.DvdDrive> -Path <string>`](call) {
      const path = call.text("Path") ?? "";
      const { state } = call.get("VMDvdDrive") as DvdDrive;
      if (await isThere(call, path)) state.machine.discs[state.index] = path;
    },
    [`Set-VMFirmware ${VM} [-EnableSecureBoot {On | Off}] [-FirstBootDevice <${namespace}.HardDiskDrive>]`](
      call,
    ) {
      if (of(call).generation !== 2) {
        const message = "The operation is not supported for a generation 1 virtual machine.";
        return refuse(call, message, "InvalidOperation", failure);
      }
      of(call).secureBoot = call.text("EnableSecureBoot")?.toLowerCase() !== "off";
    },
    [`Start-VM ${VM}`](call) {
      of(call).state = "Running";
    },
    [`Stop-VM ${VM} [-TurnOff] [-Force]`](call) {
      of(call).state = "Off";
    },
    [`Remove-VM ${VM} [-Force]`](call) {
      if (of(call).state !== "Off") {
        const message =
          "The operation cannot be performed while the virtual machine is in its current state.";
        return refuse(call, message, "InvalidState", failure);
      }
      hyperV.machines.splice(hyperV.machines.indexOf(of(call)), 1);
    },
  });
}

async function diskAt(drive: Drive, path: string): Promise<z.infer<typeof diskSchema>> {
  return diskSchema.parse(JSON.parse((await drive.readText(path)) ?? ""));
}

/** Addresses that Windows in a virtual machine reports. Empty if it does not boot. */
async function addressesOf(
  drive: Drive,
  { leases }: HyperV,
  { state, macAddress, disk, generation }: Machine,
): Promise<string[]> {
  const lease = leases[macAddress];
  const boots = state === "Running" && (await diskAt(drive, disk)).bootsWith === generation;
  return boots && lease !== undefined ? [lease] : [];
}
