/** Records where an error happened and whether it ends the script. */
import type { ScriptHost } from "./host.ts";
import type { Position } from "./syntax.ts";
import * as is from "./types.ts";
import { ErrorRecord, NetException, Raised, unknownWords, Unsupported } from "./values.ts";

/** The base of PowerShell's own exceptions. */
export const runtimeException = "System.Management.Automation.RuntimeException";

/** A cmdlet, whose class in PowerShell is the second half of its error ids. */
interface Implemented {
  readonly implementation: string;
}

export function commandNotFound(name: string): Raised {
  const id = "CommandNotFoundException";
  const message = `The term '${name}' is not recognized as the name of a cmdlet, function, script file, or operable program. Check the spelling of the name, or if a path was included, verify that the path is correct and try again.`;
  return is.runtimeError(id, message, id);
}

/** Gives an error its record, with the position where it happened, unless it already has one. */
export function complete(error: Raised, position: Position, cmdlet?: Implemented): ErrorRecord {
  const { exception, id = exception.type.name } = error;
  for (let each: NetException | null = exception; each; each = each.inner) each.wasThrown = true;
  const full = cmdlet && !id.includes(",") ? `${id},${cmdlet.implementation}` : id;
  error.record ??= new ErrorRecord(is.errorRecord, exception, full, position);
  return error.record;
}

/** Runs a function and gives errors without a position this one, and this cmdlet. */
export async function located<T>(
  position: Position,
  run: () => T | Promise<T>,
  cmdlet?: Implemented,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw placed(error, position, cmdlet);
  }
}

export function placed(error: unknown, position: Position, cmdlet?: Implemented): unknown {
  if (error instanceof Unsupported) return error.at(position);
  if (!(error instanceof Raised) || error.record) return error;
  const raised = cmdlet ? error : asOfStatement(error);
  complete(raised, position, cmdlet);
  return raised;
}

/** A cast that fails in a statement, not in a cmdlet, is wrapped in an exception of PowerShell. */
function asOfStatement(error: Raised): Raised {
  const { exception, id, terminating } = error;
  if (!exception.type.name.endsWith(".PSInvalidCastException")) return error;
  const outer = new NetException(is.types.get(runtimeException), exception.message, exception);
  return new Raised(outer, { id, terminating });
}

/** Writes a non-terminating error to the error stream, unless the error preference silences it. */
export function report(error: Raised, preference: string, host: ScriptHost): void {
  if (!/^(silentlycontinue|ignore)$/i.test(preference)) {
    host.error(`${shownMessage(error)}\n`);
  }
}

/** For people, whatever .NET's words are. */
export function shownMessage({ exception }: Raised): string {
  return exception.message.replaceAll(unknownWords, "");
}

export function terminating(error: Raised): Raised {
  return Object.assign(error, { terminating: true });
}
