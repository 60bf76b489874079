import type { Literal } from "./literal.ts";
import { PowerShellSyntaxError } from "./scanner.ts";

/** Why PowerShell would refuse a value; undefined when it takes it. */
export type Validation = (value: string | number) => string | undefined;

const supply = (what: string): string => `Supply an argument that ${what} and then try the command`;

/**
 * A validation attribute as a check with PowerShell's own words.
 * `name` is in lower case, `source` the attribute as written; an attribute the rehearsal doesn't know is an error.
 */
export function readValidation(
  name: string,
  values: readonly Literal[],
  source: string,
): Validation {
  switch (name) {
    case "validateset": {
      const allowed = values.map(String);
      return (value) =>
        allowed.some((item) => item.toLowerCase() === String(value).toLowerCase())
          ? undefined
          : `The argument "${value}" does not belong to the set "${allowed.join(",")}" specified by the ValidateSet attribute. ${supply("is in the set")} again.`;
    }
    case "validaterange": {
      const [low, high] = values;
      if (typeof low !== "number" || typeof high !== "number") throw unreadable(source);
      return (value) => {
        if (Number(value) < low) return tooFar(value, "less", "minimum", low);
        return Number(value) > high ? tooFar(value, "greater", "maximum", high) : undefined;
      };
    }
    case "validatepattern": {
      const [pattern] = values;
      if (typeof pattern !== "string") throw unreadable(source);
      const expression = new RegExp(pattern, "i");
      return (value) =>
        expression.test(String(value))
          ? undefined
          : `The argument "${value}" does not match the "${pattern}" pattern. ${supply(`matches "${pattern}"`)} again.`;
    }
    case "validatelength": {
      const [low, high] = values;
      if (typeof low !== "number" || typeof high !== "number") throw unreadable(source);
      return (value) => {
        const { length } = String(value);
        if (length < low) {
          return `The character length (${length}) of the argument is too short. Specify an argument with a length that is greater than or equal to "${low}", and then try the command again.`;
        }
        return length > high
          ? `The character length of the ${length} argument is too long. Shorten the character length of the argument so it is fewer than or equal to "${high}" characters, and then try the command again.`
          : undefined;
      };
    }
    case "validatenotnullorempty":
      return (value) =>
        value === ""
          ? `The argument is null or empty. Provide an argument that is not null or empty, and then try the command again.`
          : undefined;
    default:
      throw new PowerShellSyntaxError(`attribute [${source}] is not rehearsed`);
  }
}

function tooFar(value: string | number, compared: string, bound: string, limit: number): string {
  return `The ${value} argument is ${compared} than the ${bound} allowed range of ${limit}. Supply an argument that is ${compared === "less" ? "greater" : "less"} than or equal to ${limit} and then try the command again.`;
}

function unreadable(source: string): PowerShellSyntaxError {
  return new PowerShellSyntaxError(`can't read [${source}]`);
}
