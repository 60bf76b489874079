import { BindingError } from "./binding-error.ts";
import { type ParameterValue, convertArgument, typeNames } from "./convert.ts";
import type { ParamBlock, ScriptParameter } from "./param-block.ts";

/** One item of a script's command line as powershell.exe hands it on: a name, a value, or both (`-Name:value`). */
interface Item {
  readonly name: string | undefined;
  readonly value: string | boolean | undefined;
}

/** Parameters every advanced script takes besides its own; the rehearsal accepts them and does nothing about them. */
const commonParameters: ReadonlyMap<string, "switch" | "value"> = new Map([
  ["Verbose", "switch"],
  ["Debug", "switch"],
  ["ErrorAction", "value"],
  ["WarningAction", "value"],
  ["InformationAction", "value"],
  ["ErrorVariable", "value"],
  ["WarningVariable", "value"],
  ["InformationVariable", "value"],
  ["OutVariable", "value"],
  ["OutBuffer", "value"],
  ["PipelineVariable", "value"],
]);

/**
 * Binds the arguments behind `-File script.ps1` to the script's parameters as Windows PowerShell 5.1 does: by name without
 * regard to case, by unambiguous prefix or alias, then by position; converts, validates, and fills in literal defaults.
 *
 * @returns the values by the declared name; a parameter that was not given and has no literal default is absent.
 * @throws BindingError with PowerShell's message.
 */
export function bindParameters(
  block: ParamBlock,
  argv: readonly string[],
): ReadonlyMap<string, ParameterValue> {
  const bound = new Map<string, ParameterValue>();
  const positional: string[] = [];

  const items = readItems(argv);
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (!item) break;
    if (item.name === undefined) {
      positional.push(String(item.value));
      continue;
    }
    const next = items[index + 1];
    const following = next?.name === undefined ? next?.value : undefined;
    const target = findParameter(block, item.name);
    if (typeof target === "string") {
      if (target === "value" && item.value === undefined) index++;
      continue;
    }
    if (bound.has(target.name)) throw BindingError.repeated(target.name);
    let argument = item.value;
    if (argument === undefined) {
      if (target.type === "switch") argument = true;
      else if (following === undefined) {
        throw BindingError.withoutArgument(target.name, typeNames[target.type]);
      } else {
        argument = following;
        index++;
      }
    }
    bound.set(target.name, convertArgument(target, argument));
  }

  bindPositional(block, positional, bound);
  const missing = block.parameters.filter((item) => item.mandatory && !bound.has(item.name));
  if (missing.length > 0) throw BindingError.missing(missing.map((item) => item.name));
  for (const parameter of block.parameters) {
    const value = bound.has(parameter.name) ? undefined : defaultOf(parameter);
    if (value !== undefined) bound.set(parameter.name, value);
  }
  return bound;
}

/** powershell.exe takes whatever starts with a dash for a parameter's name, `-5` too. */
function readItems(argv: readonly string[]): Item[] {
  const items: Item[] = [];
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? "";
    if (!argument.startsWith("-")) {
      items.push({ name: undefined, value: argument });
      continue;
    }
    const pair = /^-(\w+):(.*)$/s.exec(argument);
    const name = pair?.[1];
    if (name === undefined) {
      items.push({ name: argument.slice(1), value: undefined });
    } else if (pair?.[2] === "") {
      items.push({ name, value: argv[++index] });
    } else {
      items.push({ name, value: booleanOr(pair?.[2] ?? "") });
    }
  }
  return items;
}

function booleanOr(text: string): string | boolean {
  if (/^\$true$/i.test(text)) return true;
  return /^\$false$/i.test(text) ? false : text;
}

function findParameter(block: ParamBlock, name: string): ScriptParameter | "switch" | "value" {
  const wanted = name.toLowerCase();
  const exact = block.parameters.find((item) =>
    [item.name, ...item.aliases].some((candidate) => candidate.toLowerCase() === wanted),
  );
  if (exact) return exact;
  const own = block.parameters.filter((item) =>
    [item.name, ...item.aliases].some((candidate) => candidate.toLowerCase().startsWith(wanted)),
  );
  const common = block.cmdletBinding
    ? [...commonParameters].filter(([candidate]) => candidate.toLowerCase().startsWith(wanted))
    : [];
  const exactCommon = common.find(([candidate]) => candidate.toLowerCase() === wanted);
  if (exactCommon) return exactCommon[1];
  const candidates = [...own.map((item) => item.name), ...common.map(([candidate]) => candidate)];
  if (candidates.length > 1) throw BindingError.ambiguous(name, candidates);
  const found = own[0] ?? common[0]?.[1];
  if (found === undefined || wanted === "") throw BindingError.unknown(name);
  return found;
}

function bindPositional(
  block: ParamBlock,
  values: readonly string[],
  bound: Map<string, ParameterValue>,
): void {
  const explicit = block.parameters.some((item) => item.position !== undefined);
  const order = explicit
    ? block.parameters
        .filter((item) => item.position !== undefined)
        .sort((left, right) => (left.position ?? 0) - (right.position ?? 0))
    : block.parameters.filter((item) => block.positionalBinding && item.type !== "switch");
  const free = order.filter((item) => !bound.has(item.name));
  for (const value of values) {
    const target = free.shift();
    if (!target) {
      if (!block.cmdletBinding) return; // a simple script finds the rest in $args
      throw BindingError.surplus(value);
    }
    bound.set(target.name, convertArgument(target, value));
  }
}

/** PowerShell does not validate defaults, so neither does this. */
function defaultOf(parameter: ScriptParameter): ParameterValue | undefined {
  const { defaultSource, defaultLiteral, type } = parameter;
  if (defaultSource !== undefined) {
    if (defaultLiteral === undefined || defaultLiteral === null) return undefined;
    return type === "string" ? String(defaultLiteral) : defaultLiteral;
  }
  if (type === "string") return "";
  if (type === "int" || type === "long") return 0;
  return type === "switch" || type === "bool" ? false : undefined;
}
