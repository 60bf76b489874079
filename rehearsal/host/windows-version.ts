export interface WindowsVersion {
  readonly productName: string;
  readonly edition: string;
  readonly build: number;
  readonly revision: number;
  readonly is64Bit: boolean;
  readonly powerShell: string;
  /** End of an evaluation licence, UTC to the second; empty for a licence that does not end. */
  readonly evaluationEnds: string;
}

/** The Windows the rehearsal host says it is; the guest's registry carries the same numbers. */
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

/** First lines of `ver` and `systeminfo`: nobody shall take this host for Windows. */
export const rehearsalNotice =
  "This is a kindows rehearsal host: a model of Windows on Linux, not Windows.";
