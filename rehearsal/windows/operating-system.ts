/**
 * CIM classes for Windows itself and the machine.
 *
 * Sources: https://learn.microsoft.com/windows/win32/cimwin32prov (Win32_OperatingSystem, Win32_LogicalDisk,
 * Win32_NetworkAdapterConfiguration) and
 * https://learn.microsoft.com/previous-versions/windows/desktop/sppwmi/softwarelicensingproduct.
 */
import { toDateTime, toTicks } from "./time-types.ts";
import type { ScriptHost } from "../powershell/host.ts";
import * as is from "../powershell/types.ts";
import type { Types } from "../powershell/types.ts";
import { cmdlets, type Cmdlet } from "../powershell/commands.ts";
import { NetObject, Num } from "../powershell/values.ts";
import type { WindowsMachine } from "../machine/windows-machine.ts";
import type { CimClasses } from "./cim.ts";
import { memoryTakenMiB } from "./hyper-v.ts";

/** ApplicationID of licences of Windows itself, as opposed to other products. */
const windowsApplication = "55c92734-d682-4d71-983e-d6ec3f16059f";

/** LicenseStatus: licensed, and the state after the end of an evaluation. */
const licensed = 1;
const notification = 5;

/** ReturnValue of RenewDHCPLease if the lease could not be renewed. */
const notRenewed = 82;

/** The release that Server 2022 and 2025 have in the registry (ReleaseId). */
const release = "2009";

export function computerInfoCmdlets({
  version: { build, revision },
}: WindowsMachine): readonly Cmdlet[] {
  return cmdlets({
    "Get-ComputerInfo": (call) =>
      call.emit(
        new NetObject(call.shell.types.get(computerInfo), {
          WindowsVersion: release,
          OsBuildNumber: String(build),
          OsHardwareAbstractionLayer: `10.0.${build}.${revision}`,
        }),
      ),
  });
}

const computerInfo = "Microsoft.PowerShell.Commands.ComputerInfo";

type ComputerInfo = NetObject<Readonly<Record<string, string>>>;

export function defineComputerInfo(types: Types): void {
  const names = ["WindowsVersion", "OsBuildNumber", "OsHardwareAbstractionLayer"];
  types.define({
    name: computerInfo,
    properties: Object.fromEntries(
      names.map((name) => [name, ({ state }: ComputerInfo) => state[name] ?? null]),
    ),
  });
}

export function operatingSystemClasses(
  machine: WindowsMachine,
  types: Types,
  clock: Pick<ScriptHost, "clock">,
): CimClasses {
  const { version, drive, programs, state } = machine;
  const number = (value: number): Num => new Num(is.uint64, value);
  return {
    Win32_OperatingSystem: {
      instances: () => {
        const isServer = version.edition.startsWith("Server");
        const { memoryMiB } = programs;
        const freeMiB = memoryMiB - (state.hyperV ? memoryTakenMiB(state.hyperV) : 0);
        return [
          {
            Caption: `Microsoft ${version.productName}`,
            ProductType: isServer ? 3 : 1,
            LastBootUpTime: toDateTime(types, clock, toTicks(machine.bootedAt.getTime()), false),
            TotalVisibleMemorySize: number(memoryMiB * 1024),
            FreePhysicalMemory: number(freeMiB * 1024),
          },
        ];
      },
    },
    Win32_LogicalDisk: {
      instances: async () => {
        const freeGiB = drive.full ? 0 : await programs.freeDiskGiB();
        return [{ DeviceID: "C:", DriveType: 3, FreeSpace: number(freeGiB * 2 ** 30) }];
      },
    },
    // There are no updates and no page file.
    Win32_QuickFixEngineering: { instances: () => [] },
    Win32_PageFileUsage: { instances: () => [] },
    SoftwareLicensingProduct: {
      instances: () => {
        const { evaluationEnds } = version;
        const left =
          evaluationEnds === "" ? 0 : Date.parse(evaluationEnds) - programs.now().getTime();
        const channel = evaluationEnds === "" ? "VOLUME_KMSCLIENT" : "TIMEBASED_EVAL";
        return [
          {
            ApplicationID: windowsApplication,
            PartialProductKey: "3V66T",
            Description: `Windows(R) Operating System, ${channel} channel`,
            GracePeriodRemaining: Math.max(0, Math.ceil(left / 60_000)),
            LicenseStatus: left < 0 ? notification : licensed,
          },
        ];
      },
    },
    Win32_NetworkAdapterConfiguration: {
      instances: () => [{ Index: 1, DHCPEnabled: true, IPEnabled: true }],
      methods: {
        // A lost address comes back by itself or not at all.
        RenewDHCPLease: () => Promise.resolve(machine.hasAddress ? 0 : notRenewed),
      },
    },
  };
}
