/**
 * What of PowerShell the interpreter knows: the syntax that the parser takes, the operators below, and the cmdlets,
 * parameters, types and members that are declared. A script that uses anything else is refused before it runs.
 */
import type { Cmdlet } from "./commands.ts";
import type { AnyNode, Command, Expression, Member, MethodCall, ScriptBody } from "./syntax.ts";
import type { Types } from "./types.ts";
import { Unsupported } from "./values.ts";

/** In lower case, without the leading `c` of the forms that mind the case. */
const operators = new Set(
  (
    "+ - * / % ++ -- , ! -not -and -or -xor -eq -ne -gt -ge -lt -le -like -notlike -match -notmatch -replace -split " +
    "-join .. -contains -notcontains -in -notin -is -isnot"
  ).split(" "),
);

/** Variables that PowerShell sets itself and the interpreter does not. */
const unknownVariables =
  /^(error|foreach|home|host|is(coreclr|linux|macos|windows)|myinvocation|nestedpromptlevel|profile|pscmdlet|ps(ui)?culture|psedition|pshome|pwd|sender|shellid|stacktrace|switch)$/i;

const standardVerbs =
  /^(add|clear|compare|complete|confirm|convert|convertfrom|convertto|copy|disable|enable|enter|exit|expand|export|find|foreach|format|get|group|import|initialize|install|invoke|join|measure|mount|move|new|out|read|receive|register|remove|rename|repair|reset|resize|resolve|restart|resume|save|select|send|set|show|sort|split|start|stop|suspend|tee|test|trace|unblock|uninstall|unregister|update|wait|where|write)-/;

/** What a script may use; a model of a machine adds its own cmdlets, types and programs. */
export interface Known {
  readonly cmdlets: ReadonlyMap<string, Cmdlet>;
  readonly types: Types;
  /** Commands that may be there when they are called, by name in lower case. */
  readonly mayCall?: (name: string) => boolean;
  /** Whether a name, in lower case, is that of a function which is there already. */
  readonly isFunction: (name: string) => boolean;
}

interface Names extends Known {
  /** Methods of all types, and of the script's own objects. */
  readonly methods: ReadonlySet<string>;
}

/** Refuses a script, and the files it dot-sources, by the first thing in them that is not known. */
export function check(scripts: readonly ScriptBody[], known: Known): void {
  const all = scripts.flatMap((each) => [...nodes(each)]);
  const functions = new Set<string>();
  const methods = new Set(known.types.all().flatMap((type) => [...type.methods.keys()]));
  const isFunction = (name: string) => functions.has(name) || known.isFunction(name);
  methods.add("invoke");
  for (const node of all) {
    if (node.kind === "FunctionDefinition") {
      functions.add(node.name.toLowerCase());
    } else if (node.kind === "HashtableLiteral") {
      node.pairs.forEach(({ key }) => methods.add(word(key).toLowerCase()));
    }
  }
  for (const node of all) {
    const what = unknown(node, { ...known, isFunction, methods });
    if (what !== undefined) {
      throw new Unsupported(what).at(node.position);
    }
  }
}

/** A text as it stands in a script; "" for what is worked out. */
function word(node: Expression): string {
  return node.kind === "Constant" && typeof node.value === "string" ? node.value : "";
}

function unknown(node: AnyNode, known: Names): string | undefined {
  if (node.kind === "Binary" || node.kind === "Unary") {
    const isKnown = operators.has(node.operator.replace(/^-c(?!ontains)/, "-"));
    return isKnown ? undefined : `the operator ${node.operator}`;
  }
  if (node.kind === "Variable") {
    const isKnown = node.scope !== undefined || !unknownVariables.test(node.name);
    return isKnown ? undefined : `the variable $${node.name}`;
  }
  if (node.kind === "TypeName") {
    const isKnown = /^(ordered|void)$/i.test(node.name) || known.types.find(node.name);
    return isKnown ? undefined : `the type [${node.name}]`;
  }
  if (node.kind === "Member" || node.kind === "MethodCall") {
    return unknownMember(node, known);
  }
  if (node.kind === "Command") {
    const name = word(node.name).toLowerCase();
    const isOwn = known.isFunction(name) || /[\\/]|\.ps1$/.test(name);
    return isOwn ? undefined : unknownCommand(node, known);
  }
  if (node.kind === "Redirection") {
    const { stream, target } = node;
    const toNull = "kind" in target && target.kind === "Variable" && /^null$/i.test(target.name);
    return stream === "2" && toNull ? undefined : "a redirection other than 2>$null";
  }
  return undefined;
}

function unknownMember(node: Member | MethodCall, { types, methods }: Names): string | undefined {
  const { kind, name, isStatic, object } = node;
  if (typeof name !== "string" || (kind === "MethodCall" && name.toLowerCase() === "new")) {
    return undefined;
  }
  const key = name.toLowerCase();
  if (!isStatic) {
    // A property of a script's own object may have any name: what .NET has and the types have not is refused when asked.
    return kind === "Member" || methods.has(key) ? undefined : `the method ${name}`;
  }
  const type = object.kind === "TypeLiteral" ? types.find(object.type.name) : undefined;
  const isKnown =
    !type ||
    (kind === "MethodCall"
      ? type.staticOverloads(key).length > 0
      : type.staticProperties.has(key) || type.enumeration?.has(key));
  return isKnown ? undefined : `[${type.name}]::${name}`;
}

function unknownCommand({ name, elements }: Command, known: Known): string | undefined {
  const written = word(name);
  const key = written.toLowerCase();
  const cmdlet = known.cmdlets.get(key);
  if (!cmdlet) {
    // Verb-Noun is a cmdlet of PowerShell's; any other word may be a program, which is looked for when it is run.
    return standardVerbs.test(key) && !known.mayCall?.(key) ? `the command ${written}` : undefined;
  }
  const parameters = Object.entries(cmdlet.parameters);
  const names = parameters.flatMap(([each, { aliases = [] }]) => [each, ...aliases]);
  names.push("ErrorAction", "ea", "WarningAction", "Verbose");
  for (const element of elements) {
    const start = element.kind === "CommandParameter" ? element.name : "";
    if (!names.some((each) => each.toLowerCase().startsWith(start.toLowerCase()))) {
      return `the parameter -${start} of ${cmdlet.name}`;
    }
  }
  return undefined;
}

/** A tree's nodes, each before those within it. */
export function* nodes(tree: unknown): Generator<AnyNode> {
  if (typeof tree !== "object" || tree === null) {
    return;
  }
  if ("kind" in tree && "position" in tree) {
    yield tree as AnyNode;
  }
  for (const [key, value] of Object.entries(tree)) {
    if (key !== "position") {
      yield* nodes(value);
    }
  }
}
