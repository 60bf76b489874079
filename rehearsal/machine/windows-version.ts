export interface WindowsVersion {
  readonly productName: string;
  readonly edition: string;
  readonly build: number;
  readonly revision: number;
  readonly is64Bit: boolean;
  readonly powerShell: string;
  /** End of an evaluation licence, UTC, to the second. "" for a licence that does not expire. */
  readonly evaluationEnds: string;
}

/** The Windows version of the rehearsed machine, also in the registry of the guest's Wine. */
export const rehearsedWindows = {
  productName: "Windows Server 2022 Datacenter",
  edition: "ServerDatacenter",
  build: 20348,
  /** UBR: the cumulative update of November 2025. */
  revision: 4405,
  is64Bit: true,
  powerShell: "5.1.20348.1",
  evaluationEnds: "",
} as const satisfies WindowsVersion;

/** `10.0.20348.4405`, as kubelet reports it. */
export const rehearsedBuild = `10.0.${rehearsedWindows.build}.${rehearsedWindows.revision}`;

/** First line of `ver` and `systeminfo`, so that users do not mistake this host for Windows. */
export const rehearsalNotice =
  "This is a kindows rehearsed machine: a model of Windows on Linux, not Windows.";
