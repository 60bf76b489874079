import { rehearsedWindows } from "../host/windows-version.ts";

const { build, revision, productName } = rehearsedWindows;
const machine = "HKEY_LOCAL_MACHINE";
const currentVersion = `${machine}\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion`;
const controlSet = `${machine}\\SYSTEM\\CurrentControlSet`;

/** Wine's services that programs here never ask for; MountMgr, nsiproxy and RpcSs stay. */
const unusedServices = [
  ...["BITS", "Eventlog", "FontCache", "FontCache3.0.0.0", "HTTP", "LanmanServer", "MSIServer"],
  ...["NDIS", "PlugPlay", "Schedule", "Spooler", "StiSvc", "TermService", "winebus", "wineusb"],
  ...["Winmgmt", "wuauserv"],
];

/**
 * What makes Wine's start after boot four times cheaper (4,100 calls of its server instead of 14,300), which counts on
 * an emulated CPU: no COM classes, devices and menus, few services, one time zone (every program looks for its own
 * among them).
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
 * What the guest's registry needs after Wine has made it, as regedit.exe imports it: what kubelet, kubeadm and containerd
 * read to find out on which Windows they run, cAdvisor's machine id and boot id, without which kubelet does not start, and
 * a quick start, with UTC (no bias, no dates of change) as the only time zone.
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
