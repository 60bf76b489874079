/** One value of the registry. */
export interface RegistryValue {
  /** Full key, e.g. `HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft`. */
  readonly key: string;
  readonly name: string;
  /** A string is REG_SZ, a number REG_DWORD. */
  readonly data: string | number;
}

/** Build of Windows Server 2022 that the rehearsal shows; the last part is the update revision (UBR). */
export const windowsBuild = "10.0.20348.4405";

const [major, minor, build, revision] = windowsBuild.split(".").map(Number);
const currentVersion = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
const system = "HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet";

/** What kubelet, kubeadm and containerd read to find out on which Windows they run. */
export const windowsServer2022: readonly RegistryValue[] = [
  { key: currentVersion, name: "CurrentMajorVersionNumber", data: major ?? 0 },
  { key: currentVersion, name: "CurrentMinorVersionNumber", data: minor ?? 0 },
  { key: currentVersion, name: "CurrentBuildNumber", data: String(build) },
  { key: currentVersion, name: "CurrentBuild", data: String(build) },
  { key: currentVersion, name: "UBR", data: revision ?? 0 },
  { key: currentVersion, name: "ProductName", data: "Windows Server 2022 Datacenter" },
  { key: currentVersion, name: "InstallationType", data: "Server Core" },
  { key: currentVersion, name: "EditionID", data: "ServerDatacenter" },
  // cAdvisor's machine id and boot id; kubelet does not start without them.
  {
    key: "HKEY_LOCAL_MACHINE\\SYSTEM\\HardwareConfig",
    name: "LastConfig",
    data: "{3f2504e0-4f89-11d3-9a0c-0305e82c3301}",
  },
  {
    key: `${system}\\Control\\Session Manager\\Memory Management\\PrefetchParameters`,
    name: "BootId",
    data: 1,
  },
];

/** Text of a file that regedit.exe imports. */
export function registryFile(values: readonly RegistryValue[]): string {
  const lines = values.map(({ key, name, data }) => `[${key}]\n${quote(name)}=${render(data)}\n`);
  return `REGEDIT4\n\n${lines.join("\n")}`;
}

function render(data: string | number): string {
  if (typeof data === "string") return quote(data);
  if (!Number.isInteger(data) || data < 0 || data > 0xffffffff) {
    throw new RangeError(`${data} is not a REG_DWORD: it must be a whole number of 32 bits`);
  }
  return `dword:${data.toString(16).padStart(8, "0")}`;
}

function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
