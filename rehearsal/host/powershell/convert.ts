import { BindingError } from "./binding-error.ts";
import type { ParameterType, ScriptParameter } from "./param-block.ts";

/** A bound value. */
export type ParameterValue = string | number | boolean | readonly string[];

/** .NET's name of a type, for messages. */
export const typeNames: Readonly<Record<ParameterType, string>> = {
  string: "System.String",
  int: "System.Int32",
  long: "System.Int64",
  switch: "System.Management.Automation.SwitchParameter",
  bool: "System.Boolean",
  "string[]": "System.String[]",
};

/** The bounds of Int32; Int64 is kept to what a JavaScript number holds exactly. */
const limits = { int: 2 ** 31 - 1, long: Number.MAX_SAFE_INTEGER };

/** A command line's text as the parameter's type, with its validations run; what PowerShell refuses is a BindingError. */
export function convertArgument(
  parameter: ScriptParameter,
  argument: string | boolean,
): ParameterValue {
  const value = convert(parameter, argument);
  if (value === "" && parameter.mandatory && !parameter.allowsEmpty) {
    throw BindingError.empty(parameter.name);
  }
  const items = typeof value === "object" ? value : [value];
  for (const item of items) {
    for (const validation of parameter.validations) {
      if (typeof item === "boolean") continue;
      const reason = validation(item);
      if (reason !== undefined) throw BindingError.validation(parameter.name, reason);
    }
  }
  return value;
}

function convert(parameter: ScriptParameter, argument: string | boolean): ParameterValue {
  switch (parameter.type) {
    case "string":
      return typeof argument === "boolean" ? (argument ? "True" : "False") : argument;
    case "string[]":
      // -File passes `a,b` as one string: only -Command would make two of it.
      return [String(argument)];
    case "int":
    case "long":
      return toInteger(parameter, parameter.type, String(argument));
    case "switch":
    case "bool":
      if (typeof argument === "boolean") return argument;
      throw BindingError.conversion(
        parameter.name,
        `Cannot convert value "System.String" to type "${typeNames[parameter.type]}". Boolean parameters accept only Boolean values and numbers, such as $True, $False, 1 or 0.`,
      );
  }
}

function toInteger(parameter: ScriptParameter, type: "int" | "long", text: string): number {
  const cannot = `Cannot convert value "${text}" to type "${typeNames[type]}". Error: `;
  const trimmed = text.trim();
  if (!/^[+-]?(0x[0-9a-f]+|\d+(\.\d+)?)$/i.test(trimmed)) {
    if (trimmed === "") return 0;
    throw BindingError.conversion(
      parameter.name,
      `${cannot}"Input string was not in a correct format."`,
    );
  }
  const number = roundHalfEven(Number(trimmed));
  if (Math.abs(number) > limits[type]) {
    throw BindingError.conversion(
      parameter.name,
      `${cannot}"Value was either too large or too small for an ${typeNames[type].slice("System.".length)}."`,
    );
  }
  return number;
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
