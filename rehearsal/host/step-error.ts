/** Exit codes by kind of error: the same table as components/windows/steps/lib/ExitCodes.ps1. */
export const stepExitCodes = {
  Unexpected: 10,
  StepBusy: 11,
  NotAdministrator: 12,
  SecretMissing: 13,
  CommandFailed: 14,
  CommandTimedOut: 15,
  DiskFull: 16,
  HostUnsuitable: 20,
  FeatureFailed: 21,
  ForeignHostsEntry: 22,
  HostsFileBusy: 23,
  RebootPending: 24,
  ForeignRoute: 25,
  NextHopOffSegment: 26,
  ForeignDnsRule: 27,
  MediumMissing: 30,
  ChecksumMismatch: 31,
  VersionMismatch: 32,
  ConfigurationUnknown: 33,
  ServiceNotRunning: 34,
  FileInUse: 35,
  FeatureMissing: 40,
  ContainerdMissing: 41,
  FlannelMissing: 42,
  ApiServerUnreachable: 50,
  JoinFailed: 51,
  JoinTimedOut: 52,
  KubeletArgsRefused: 53,
  KubernetesMissing: 54,
  ResetFailed: 55,
  NodeIpMissing: 56,
  NetworkNotReady: 60,
  RebootNotDone: 75,
} as const;

export type StepErrorCode = keyof typeof stepExitCodes;

/** What the script's Stop-Step ends with. */
export class StepError extends Error {
  override readonly name = "StepError";

  constructor(
    readonly code: StepErrorCode,
    message: string,
    /** What to do about it. */
    readonly remedy: string,
  ) {
    super(message);
  }
}
