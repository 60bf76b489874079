import { type Literal, readLiteral } from "./literal.ts";
import { PowerShellSyntaxError, skipBlank, skipBrackets, splitAtCommas } from "./scanner.ts";
import { type Validation, readValidation } from "./validation.ts";

/** Types a step script's parameter may have. */
export type ParameterType = "string" | "int" | "long" | "switch" | "bool" | "string[]";

/** One parameter as the script's own `param()` block declares it. */
export interface ScriptParameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly mandatory: boolean;
  /** Set by `[Parameter(Position = N)]` only. */
  readonly position: number | undefined;
  readonly aliases: readonly string[];
  readonly validations: readonly Validation[];
  readonly allowsEmpty: boolean;
  /** Source of the default, undefined when there is none. */
  readonly defaultSource: string | undefined;
  /** The default when it is a literal. */
  readonly defaultLiteral: Literal | undefined;
}

/** What a script takes. */
export interface ParamBlock {
  /** Whether it is an advanced script: rejects what it does not know, takes the common parameters. */
  readonly cmdletBinding: boolean;
  readonly positionalBinding: boolean;
  readonly parameters: readonly ScriptParameter[];
}

const types: Readonly<Record<string, ParameterType>> = {
  string: "string",
  int: "int",
  int32: "int",
  long: "long",
  int64: "long",
  switch: "switch",
  bool: "bool",
  boolean: "bool",
  "string[]": "string[]",
};

/**
 * The `param()` block at the head of a script: comments, `using`, `#requires` and attributes may stand before it.
 *
 * Types and attributes the rehearsal can't bind as PowerShell would are errors, never passed over. No block means no
 * parameters.
 */
export function readParamBlock(source: string): ParamBlock {
  let index = skipHeader(source);
  let cmdletBinding = false;
  let positionalBinding = true;
  while (source[index] === "[") {
    const end = skipBrackets(source, index);
    const attribute = readAttribute(source.slice(index + 1, end - 1));
    if (attribute?.name === "cmdletbinding") {
      cmdletBinding = true;
      positionalBinding = attribute.named.get("positionalbinding") !== false;
    }
    index = skipBlank(source, end);
  }
  if (!/^param\s*\(/i.test(source.slice(index))) {
    return { cmdletBinding, positionalBinding, parameters: [] };
  }
  const open = source.indexOf("(", index);
  const inner = source.slice(open + 1, skipBrackets(source, open) - 1);
  const parameters = splitAtCommas(inner).map(readParameter);
  return {
    // [Parameter()] on any parameter makes a script an advanced one as well.
    cmdletBinding: cmdletBinding || /\[\s*Parameter\s*\(/i.test(inner),
    positionalBinding,
    parameters,
  };
}

function skipHeader(source: string): number {
  let index = skipBlank(source, source.startsWith("\uFEFF") ? 1 : 0);
  while (/^using\s/i.test(source.slice(index))) {
    const end = source.indexOf("\n", index);
    index = skipBlank(source, end === -1 ? source.length : end + 1);
  }
  return index;
}

function readParameter(source: string): ScriptParameter {
  let index = 0;
  let type: ParameterType | undefined;
  let mandatory = false;
  let position: number | undefined;
  let allowsEmpty = false;
  const aliases: string[] = [];
  const validations: Validation[] = [];

  while (source[index] === "[") {
    const end = skipBrackets(source, index);
    const text = source.slice(index + 1, end - 1).trim();
    index = skipBlank(source, end);
    const attribute = readAttribute(text);
    if (!attribute) {
      type = types[text.toLowerCase().replace(/^system\./, "")];
      if (!type) throw new PowerShellSyntaxError(`type [${text}] is not rehearsed`);
      continue;
    }
    switch (attribute.name) {
      case "parameter": {
        mandatory ||= attribute.named.get("mandatory") === true;
        const given = attribute.named.get("position");
        if (typeof given === "number") position = given;
        break;
      }
      case "alias":
        aliases.push(...attribute.values.map(String));
        break;
      case "allowemptystring":
      case "allowemptycollection":
      case "allownull":
        allowsEmpty = true;
        break;
      default:
        validations.push(readValidation(attribute.name, attribute.values, text));
    }
  }

  const declaration = /^\$\{?(\w+)\}?\s*(?:=\s*(.+))?$/s.exec(source.slice(index));
  const name = declaration?.[1];
  if (name === undefined) throw new PowerShellSyntaxError(`can't read parameter '${source}'`);
  const defaultSource = declaration?.[2]?.trim();
  return {
    name,
    type: type ?? "string",
    mandatory,
    position,
    aliases,
    validations,
    allowsEmpty,
    defaultSource,
    defaultLiteral: defaultSource === undefined ? undefined : readLiteral(defaultSource),
  };
}

interface Attribute {
  /** In lower case. */
  readonly name: string;
  readonly values: readonly Literal[];
  readonly named: ReadonlyMap<string, Literal>;
}

/** `Name(1, Key = $true)`; undefined for a bare type name. */
function readAttribute(text: string): Attribute | undefined {
  const match = /^([\w.]+?)(?:Attribute)?\s*\((.*)\)$/s.exec(text.trim());
  if (!match) return undefined;
  const values: Literal[] = [];
  const named = new Map<string, Literal>();
  for (const part of splitAtCommas(match[2] ?? "")) {
    const pair = /^(\w+)\s*(?:=\s*(.+))?$/s.exec(part);
    const source = pair?.[1] === undefined || /^\d/.test(part) ? part : (pair[2] ?? "$true");
    const value = readLiteral(source);
    if (value === undefined) throw new PowerShellSyntaxError(`[${text}]: can't read '${part}'`);
    if (source !== part && pair?.[1] !== undefined) named.set(pair[1].toLowerCase(), value);
    else values.push(value);
  }
  return { name: (match[1] ?? "").toLowerCase(), values, named };
}
