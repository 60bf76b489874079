import type { StepParameters } from "./step-parameters.ts";
import type { WindowsHost } from "./windows-host.ts";

/** The step scripts that have a behaviour here, by their files' names without `.ps1`. */
export const stepNames = [
  "Test-WindowsHost",
  "Enable-ContainersFeature",
  "Confirm-Reboot",
  "Set-MachineProxy",
  "Install-Containerd",
  "Install-Kubernetes",
  "Add-ExternalNetwork",
  "Confirm-ExternalNetwork",
  "Set-HostsEntry",
  "Join-Node",
  "Export-NodeLog",
  "Reset-Node",
] as const;

export type StepName = (typeof stepNames)[number];

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
  MediumMissing: 30,
  ChecksumMismatch: 31,
  VersionMismatch: 32,
  ConfigurationUnknown: 33,
  ServiceNotRunning: 34,
  FileInUse: 35,
  FeatureMissing: 40,
  ContainerdMissing: 41,
  ApiServerUnreachable: 50,
  JoinFailed: 51,
  JoinTimedOut: 52,
  KubeletArgsRefused: 53,
  KubernetesMissing: 54,
  ResetFailed: 55,
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

/** A behaviour and its script don't fit each other: a mistake in the rehearsal, not of its user. */
export class RehearsalError extends Error {
  override readonly name = "RehearsalError";
}

/** What a behaviour works with. */
export interface StepContext {
  readonly host: WindowsHost;
  readonly parameters: StepParameters;
  /** Everything the session wrote to standard input; undefined where that did not end within 30 s. */
  stdin(): Promise<string | undefined>;
  /** One line on standard output, before the result. No secrets. */
  output(line: string): void;
  /** One line on standard error. No secrets. */
  progress(line: string): void;
  /** Called where half of the work is done and a power cut would hurt most; faults strike here. */
  checkpoint(): Promise<void>;
}

/** What a step's body returns: the same fields as the script's New-StepResult. */
export interface StepOutcome {
  readonly changed: boolean;
  readonly rebootRequired?: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Does to the modelled Windows what a step script does to a real one. */
export type StepBehaviour = (context: StepContext) => Promise<StepOutcome>;
