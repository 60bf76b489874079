/** The Windows the rehearsal host says it is; the guest's registry carries the same numbers. */
export const rehearsedWindows = {
  productName: "Windows Server 2022 Datacenter",
  build: 20348,
  /** UBR: the cumulative update of November 2025. */
  revision: 4405,
} as const;

/** `10.0.20348.4405`, as kubelet reports it. */
export const rehearsedBuild = `10.0.${rehearsedWindows.build}.${rehearsedWindows.revision}`;

/** First lines of `ver` and `systeminfo`: nobody shall take this host for Windows. */
export const rehearsalNotice =
  "This is a kindows rehearsal host: a model of Windows on Linux, not Windows.";
