import { rehearsedWindows } from "../host/windows-version.ts";

/** A string is REG_SZ, a number REG_DWORD, bytes REG_BINARY. */
export type RegistryData = string | number | Uint8Array;

/** Something to do to the registry, in the order given. */
export type RegistryChange =
  | { readonly key: string; readonly name: string; readonly data: RegistryData }
  /** Removes the key with all below it. */
  | { readonly removeKey: string };

const machine = "HKEY_LOCAL_MACHINE";
const currentVersion = `${machine}\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion`;
const controlSet = `${machine}\\SYSTEM\\CurrentControlSet`;

/** What kubelet, kubeadm and containerd read to find out on which Windows they run. */
const windowsServer: readonly RegistryChange[] = [
  { key: currentVersion, name: "CurrentMajorVersionNumber", data: 10 },
  { key: currentVersion, name: "CurrentMinorVersionNumber", data: 0 },
  { key: currentVersion, name: "CurrentBuildNumber", data: String(rehearsedWindows.build) },
  { key: currentVersion, name: "CurrentBuild", data: String(rehearsedWindows.build) },
  { key: currentVersion, name: "UBR", data: rehearsedWindows.revision },
  { key: currentVersion, name: "ProductName", data: rehearsedWindows.productName },
  { key: currentVersion, name: "InstallationType", data: "Server Core" },
  { key: currentVersion, name: "EditionID", data: "ServerDatacenter" },
  // cAdvisor's machine id and boot id: kubelet does not start without them.
  {
    key: `${machine}\\SYSTEM\\HardwareConfig`,
    name: "LastConfig",
    data: "{3f2504e0-4f89-11d3-9a0c-0305e82c3301}",
  },
  {
    key: `${controlSet}\\Control\\Session Manager\\Memory Management\\PrefetchParameters`,
    name: "BootId",
    data: 1,
  },
];

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
const quickStart: readonly RegistryChange[] = [
  ...["CLSID", "DirectShow", "Interface", "MediaFoundation", "MIME", "Typelib", "Wow6432Node"].map(
    (name) => ({ removeKey: `${machine}\\SOFTWARE\\Classes\\${name}` }),
  ),
  { removeKey: `${machine}\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\RunServices` },
  { removeKey: `${controlSet}\\Enum` },
  ...unusedServices.map((name) => ({ removeKey: `${controlSet}\\Services\\${name}` })),
  { removeKey: `${currentVersion}\\Time Zones` },
  ...utcTimeZone(),
];

/** Every change that the guest's registry needs after Wine has made it. */
export const guestRegistry: readonly RegistryChange[] = [...windowsServer, ...quickStart];

/** The only time zone of the guest. */
function utcTimeZone(): RegistryChange[] {
  const key = `${currentVersion}\\Time Zones\\UTC`;
  const name = "Coordinated Universal Time";
  return [
    { key, name: "Display", data: `(UTC) ${name}` },
    { key, name: "Std", data: name },
    { key, name: "Dlt", data: name },
    // Bias, standard bias, daylight bias, and the two dates of change: all none.
    { key, name: "TZI", data: new Uint8Array(44) },
  ];
}

/** Text of a file that regedit.exe imports. */
export function registryFile(changes: readonly RegistryChange[]): string {
  const sections = changes.map((change) =>
    "removeKey" in change
      ? `[-${change.removeKey}]\n`
      : `[${change.key}]\n${quote(change.name)}=${render(change.data)}\n`,
  );
  return `REGEDIT4\n\n${sections.join("\n")}`;
}

function render(data: RegistryData): string {
  if (typeof data === "string") return quote(data);
  if (typeof data !== "number") return `hex:${Array.from(data, hexByte).join(",")}`;
  return `dword:${data.toString(16).padStart(8, "0")}`;
}

function hexByte(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
