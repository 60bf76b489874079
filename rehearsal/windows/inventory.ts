/**
 * What a machine consists of, as CIM tells it: as much as the model has.
 *
 * Source: https://learn.microsoft.com/windows/win32/cimwin32prov/computer-system-hardware-classes and its neighbours.
 */
import * as is from "../../powershell/types.ts";
import type { WindowsHost } from "../host/windows-host.ts";
import type { CimClass, CimClasses } from "./cim.ts";
import { listedProcesses } from "./process-list.ts";

type Instances = Awaited<ReturnType<CimClass["instances"]>>;

export function inventoryClasses(machine: WindowsHost): CimClasses {
  const { version, programs, hardware, computerName } = machine;
  const of = (instances: () => Instances | Promise<Instances>): CimClass => ({
    instances: () => Promise.resolve(instances()),
  });
  return {
    Win32_OperatingSystem: of(() => [
      {
        Caption: `Microsoft ${version.productName} (rehearsal)`,
        CSName: computerName,
        BuildNumber: String(version.build),
        LastBootUpTime: programs.bootTime.toISOString(),
      },
    ]),
    Win32_QuickFixEngineering: of(() => []),
    Win32_Process: of(() =>
      listedProcesses(machine).map(({ path, id }) => ({ ProcessId: id, ExecutablePath: path })),
    ),
    Win32_PageFileUsage: of(() => []),
    Win32_LogicalDisk: of(async () => [
      { DeviceID: "C:", FreeSpace: BigInt(Math.floor((await hardware.freeDiskGiB()) * 1024 ** 3)) },
    ]),
    Win32_NetworkAdapterConfiguration: of(() => [
      {
        Description: "Ethernet",
        IPAddress: is.array(programs.addresses().filter((each) => !each.startsWith("127."))),
      },
    ]),
  };
}
