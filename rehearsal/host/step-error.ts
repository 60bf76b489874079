/** What the script's Stop-Step ends with. */
export class StepError extends Error {
  override readonly name = "StepError";

  constructor(
    /** Kind of error: one of components/windows/steps/lib/ExitCodes.ps1. */
    readonly code: string,
    message: string,
    /** What to do about it. */
    readonly remedy: string,
  ) {
    super(message);
  }
}
