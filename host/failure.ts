/** Exit codes of the CLI; documented in docs/cli.md. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** Another run is working on the same stack. */
  busy: 3,
  /** Interrupted by a signal: 128 + SIGINT. */
  interrupted: 130,
} as const;

/** An error that the user can solve: only its message is printed, without a stack trace. */
export class Failure extends Error {
  readonly exitCode: number;

  /** @param message What is wrong, where, and what to do about it. */
  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.name = "Failure";
    this.exitCode = exitCode;
  }
}

export function throwAll(what: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new Failure([`${what}:`, ...problems.map((each) => `  - ${each}`)].join("\n"));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function firstLineOf(error: unknown): string {
  return messageOf(error).split("\n")[0] ?? "";
}

export function* causesOf(error: unknown): Generator<Error, void> {
  for (let each = error; each instanceof Error; each = each.cause) {
    yield each;
  }
}
