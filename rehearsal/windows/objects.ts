/** Helpers for the output and the errors of the model's cmdlets. */
import type { Call } from "../powershell/commands.ts";
import * as is from "../powershell/types.ts";
import { CustomObject, type Value } from "../powershell/values.ts";

/** The exception type of cmdlets that are generated from CIM classes. */
export const cimFailure = "Microsoft.PowerShell.Cmdletization.Cim.CimJobException";

export function object(
  properties: Readonly<Record<string, Value>>,
  type = is.customObject,
): CustomObject {
  const made = new CustomObject(type);
  for (const [name, value] of Object.entries(properties)) made.set(name, value);
  return made;
}

export function strings(items: readonly string[]): Value {
  return is.array([...items], is.types.get("string[]"));
}

/** Reports a cmdlet's error, of one of the interpreter's types. */
export function refuse(call: Call, message: string, id: string, type = cimFailure): Promise<void> {
  return call.fail(is.raised(call.shell.types.get(type), message, { id }));
}
