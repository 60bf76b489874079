/**
 * What of PowerShell the interpreter knows: the syntax that the parser takes, the operators below, and the cmdlets,
 * parameters, types and members that are declared. A script that uses anything else is refused before it runs.
 */
import type { Cmdlet } from "./commands.ts";
import type { AnyNode, Command, ScriptBody } from "./syntax.ts";
import type { Types } from "./types.ts";
import { Unsupported, type NetType } from "./values.ts";

/** In lower case, without the leading `c` of the forms that mind the case. */
export const operators: ReadonlySet<string> = new Set(
  (
    "+ - * / % ++ -- , ! -not -and -or -xor -eq -ne -gt -ge -lt -le -like -notlike -match -notmatch -replace -split " +
    "-join .. -contains -notcontains -in -notin -is -isnot -f"
  ).split(" "),
);

/** Variables that PowerShell sets itself and the interpreter does not. */
const unknownVariables = new Set(
  "error foreach home host iscoreclr islinux ismacos iswindows myinvocation nestedpromptlevel profile pscmdlet psculture psedition pshome psuiculture pwd sender shellid stacktrace switch".split(
    " ",
  ),
);

/** What a script may use; a model of a machine adds its own cmdlets, types and programs. */
export interface Known {
  readonly cmdlets: ReadonlyMap<string, Cmdlet>;
  readonly types: Types;
  /** Commands that may be there when they are called, by name in lower case. */
  readonly mayCall: (name: string) => boolean;
  /** Whether a name, in lower case, is that of a function which is there already. */
  readonly isFunction: (name: string) => boolean;
}

/** Refuses a script by the first thing in it that is not known. `sourced` are the files it dot-sources. */
export function check(body: ScriptBody, sourced: readonly ScriptBody[], known: Known): void {
  const functions = new Set<string>();
  const members = memberNames(known.types.all());
  const all = [body, ...sourced];
  for (const each of all) {
    visit(each, (node) => {
      if (node.kind === "FunctionDefinition") {
        functions.add(node.name.toLowerCase());
      }
      if (node.kind === "HashtableLiteral") {
        for (const { key } of node.pairs) {
          if (key.kind === "Constant" && typeof key.value === "string") {
            members.own.add(key.value.toLowerCase());
          }
        }
      }
    });
  }
  for (const each of all) {
    visit(each, (node) => {
      const what = unknown(node, known, functions, members);
      if (what !== undefined) {
        throw new Unsupported(what).at(node.position);
      }
    });
  }
}

interface Members {
  readonly methods: ReadonlySet<string>;
  /** Members of the script's own objects. */
  readonly own: Set<string>;
}

function memberNames(types: readonly NetType[]): Members {
  return {
    methods: new Set(types.flatMap((type) => [...type.methods.keys()])),
    own: new Set(),
  };
}

function unknown(
  node: AnyNode,
  known: Known,
  functions: ReadonlySet<string>,
  members: Members,
): string | undefined {
  if (node.kind === "Binary" || node.kind === "Unary") {
    const name = node.operator.replace(/^-c(?!ontains)/, "-");
    return operators.has(name) ? undefined : `the operator ${node.operator}`;
  }
  if (node.kind === "Variable" && node.scope === undefined) {
    return unknownVariables.has(node.name.toLowerCase()) ? `the variable $${node.name}` : undefined;
  }
  if (node.kind === "TypeName") {
    const isKnown = /^(ordered|void)$/i.test(node.name) || known.types.find(node.name);
    return isKnown ? undefined : `the type [${node.name}]`;
  }
  if (node.kind === "Member" || node.kind === "MethodCall") {
    return unknownMember(node, known.types, members);
  }
  if (node.kind === "Command") {
    return unknownCommand(node, known, functions);
  }
  if (node.kind === "Redirection") {
    const { stream, target } = node;
    const toNothing = "kind" in target && target.kind === "Variable" && /^null$/i.test(target.name);
    return stream === "2" && toNothing ? undefined : "a redirection other than 2>$null";
  }
  return undefined;
}

function unknownMember(
  node: Extract<AnyNode, { kind: "Member" | "MethodCall" }>,
  types: Types,
  members: Members,
): string | undefined {
  if (typeof node.name !== "string") {
    return undefined;
  }
  const key = node.name.toLowerCase();
  const isMethod = node.kind === "MethodCall";
  if (node.isStatic) {
    const type = node.object.kind === "TypeLiteral" ? types.find(node.object.type.name) : undefined;
    const has =
      type === undefined ||
      (isMethod
        ? key === "new" || hasStaticMethod(type, key)
        : type.staticProperties.has(key) || type.enumeration?.has(key));
    return has ? undefined : `[${type.name}]::${node.name}`;
  }
  // A property of a script's own object may have any name: what .NET has and the types have not is refused when asked.
  const isKnown = !isMethod || members.methods.has(key) || members.own.has(key) || key === "invoke";
  return isKnown ? undefined : `the method ${node.name}`;
}

function hasStaticMethod(type: NetType, key: string): boolean {
  return (
    type.staticMethods.has(key) || (type.base !== undefined && hasStaticMethod(type.base, key))
  );
}

function unknownCommand(
  node: Command,
  known: Known,
  functions: ReadonlySet<string>,
): string | undefined {
  if (node.name.kind !== "Constant" || typeof node.name.value !== "string") {
    return undefined;
  }
  const name = node.name.value.toLowerCase();
  const cmdlet = known.cmdlets.get(name);
  if (
    functions.has(name) ||
    known.isFunction(name) ||
    /[\\/]/.test(name) ||
    name.endsWith(".ps1")
  ) {
    return undefined;
  }
  if (!cmdlet) {
    // Verb-Noun is a cmdlet of PowerShell's; any other word may be a program, which is looked for when it is run.
    return standardVerbs.test(name) && !known.mayCall(name)
      ? `the command ${node.name.value}`
      : undefined;
  }
  for (const element of node.elements) {
    if (element.kind === "CommandParameter" && !hasParameter(cmdlet, element.name.toLowerCase())) {
      return `the parameter -${element.name} of ${cmdlet.name}`;
    }
  }
  return undefined;
}

function hasParameter(cmdlet: Cmdlet, name: string): boolean {
  const names = Object.entries(cmdlet.parameters).flatMap(([each, { aliases = [] }]) => [
    each,
    ...aliases,
  ]);
  return (
    [...names, "ErrorAction", "WarningAction", "Verbose"].some((each) =>
      each.toLowerCase().startsWith(name),
    ) || name === "ea"
  );
}

const standardVerbs =
  /^(add|clear|compare|complete|confirm|convert|convertfrom|convertto|copy|disable|enable|enter|exit|expand|export|find|foreach|format|get|group|import|initialize|install|invoke|join|measure|mount|move|new|out|read|receive|register|remove|rename|repair|reset|resize|resolve|restart|resume|save|select|send|set|show|sort|split|start|stop|suspend|tee|test|trace|unblock|uninstall|unregister|update|wait|where|write)-/;

/** Calls something with each node of a tree. */
export function visit(node: AnyNode, look: (node: AnyNode) => void): void {
  look(node);
  for (const [key, value] of Object.entries(node)) {
    if (key !== "position") {
      visitValue(value, look);
    }
  }
}

function visitValue(value: unknown, look: (node: AnyNode) => void): void {
  if (Array.isArray(value)) {
    value.forEach((each) => {
      visitValue(each, look);
    });
  } else if (typeof value === "object" && value !== null) {
    if ("kind" in value && "position" in value) {
      visit(value as AnyNode, look);
    } else {
      Object.values(value).forEach((each) => {
        visitValue(each, look);
      });
    }
  }
}
