import { rehearsedWindows } from "../machine/windows-version.ts";

const { build, revision, productName } = rehearsedWindows;
const machine = "HKEY_LOCAL_MACHINE";
const currentVersion = `${machine}\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion`;
const controlSet = `${machine}\\SYSTEM\\CurrentControlSet`;

/** Wine's services that no program here uses. MountMgr, nsiproxy and RpcSs are kept. */
const unusedServices = [
  ...["BITS", "Eventlog", "FontCache", "FontCache3.0.0.0", "HTTP", "LanmanServer", "MSIServer"],
  ...["NDIS", "PlugPlay", "Schedule", "Spooler", "StiSvc", "TermService", "winebus", "wineusb"],
  ...["Winmgmt", "wuauserv"],
];

/**
 * Removing these COM classes, devices, menus, services and time zones reduces Wine's first start after boot from 14,300
 * to 4,100 calls of its server, which matters on an emulated CPU. Every program searches the time zones for its own.
 */
const removedKeys = [
  ...["CLSID", "DirectShow", "Interface", "MediaFoundation", "MIME", "Typelib", "Wow6432Node"].map(
    (name) => `${machine}\\SOFTWARE\\Classes\\${name}`,
  ),
  `${machine}\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\RunServices`,
  `${controlSet}\\Enum`,
  ...unusedServices.map((name) => `${controlSet}\\Services\\${name}`),
  `${currentVersion}\\Time Zones`,
];

/**
 * Changes to the registry of a new Wine prefix, in regedit.exe's format: the Windows version that kubelet, kubeadm and
 * containerd read; cAdvisor's machine id and boot id, without which kubelet does not start; and the removed keys, with UTC
 * (no bias, no transition dates) as the only time zone.
 */
export const guestRegistry = `REGEDIT4

[${currentVersion}]
"CurrentMajorVersionNumber"=dword:0000000a
"CurrentMinorVersionNumber"=dword:00000000
"CurrentBuildNumber"="${build}"
"CurrentBuild"="${build}"
"UBR"=dword:${revision.toString(16).padStart(8, "0")}
"ProductName"="${productName}"
"InstallationType"="Server Core"
"EditionID"="ServerDatacenter"

[${machine}\\SYSTEM\\HardwareConfig]
"LastConfig"="{3f2504e0-4f89-11d3-9a0c-0305e82c3301}"

[${controlSet}\\Control\\Session Manager\\Memory Management\\PrefetchParameters]
"BootId"=dword:00000001

${removedKeys.map((key) => `[-${key}]\n`).join("\n")}
[${currentVersion}\\Time Zones\\UTC]
"Display"="(UTC) Coordinated Universal Time"
"Std"="Coordinated Universal Time"
"Dlt"="Coordinated Universal Time"
"TZI"=hex:${Array(44).fill("00").join(",")}
`;
