/**
 * What of PowerShell the interpreter knows: the syntax that the parser takes, the operators below, and the cmdlets,
 * parameters, types and members that are declared. A script that uses anything else is refused before it runs.
 */
import type { Cmdlet } from "./commands.ts";
import type { AnyNode, Command, Expression, Member, MethodCall, ScriptBody } from "./syntax.ts";
import type { Types } from "./types.ts";
import { Unsupported } from "./values.ts";

/** In lower case, without the leading `c` of the forms that mind the case. */
const binaryOperators = new Set(
  (
    "+ - * / % .. -and -or -eq -ne -gt -ge -lt -le -like -notlike -match -notmatch -replace -split -join " +
    "-contains -notcontains -is"
  ).split(" "),
);
const unaryOperators = new Set(["++", "--", "-", ",", "-not"]);

/** Variables that PowerShell sets itself and the interpreter does not. */
const unknownVariables =
  /^(\?|error|foreach|home|host|is(coreclr|linux|macos|windows)|myinvocation|nestedpromptlevel|pid|profile|pscmdlet|ps(ui)?culture|psedition|pshome|pwd|sender|shellid|stacktrace|switch)$/i;

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

/** A script that was read, with what it has of its own and what it uses. */
export interface Script {
  readonly body: ScriptBody;
  /** Names of functions, in lower case. */
  readonly functions: Set<string>;
  /** Keys of tables, in lower case: an object made of one has methods of that name. */
  readonly keys: Set<string>;
  /** Files that it dot-sources, below its folder or by full path, as far as these can be told beforehand. */
  readonly sourced: Set<string>;
  /** What is not known anywhere, and what some machines know. */
  readonly nodes: AnyNode[];
}

export function scriptOf(body: ScriptBody): Script {
  const names = { functions: new Set(""), keys: new Set(""), sourced: new Set("") };
  const script: Script = { body, ...names, nodes: [] };
  visit(body, (node) => {
    collect(node, script);
  });
  return script;
}

function collect(node: AnyNode, { functions, keys, sourced, nodes }: Script): void {
  if (named.has(node.kind) || unknownSyntax(node) !== undefined) {
    nodes.push(node);
  }
  if (node.kind === "FunctionDefinition") {
    functions.add(node.name.toLowerCase());
  } else if (node.kind === "HashtableLiteral") {
    node.pairs.forEach(({ key }) => keys.add(word(key).toLowerCase()));
  } else if (node.kind === "Command" && node.invocation === ".") {
    const { file, start, end } = node.position;
    const pattern = /(?:\$PSScriptRoot(?:['"]?\s+['"]?|[\\/])|^\.\s+')([^'"\s]+\.ps1)\b/i;
    const [, path] = pattern.exec(file.text.slice(start, end)) ?? [];
    if (path !== undefined) {
      sourced.add(path);
    }
  }
}

/** Refuses scripts that are run together by the first thing in them that is not known. */
export function check(all: readonly Script[], names: Known): void {
  const methods = new Set(names.types.all().flatMap((type) => [...type.methods.keys()]));
  methods.add("invoke");
  all.forEach(({ keys }) => {
    keys.forEach((key) => methods.add(key));
  });
  const isFunction = (name: string) =>
    all.some(({ functions }) => functions.has(name)) || names.isFunction(name);
  const everything = { ...names, isFunction, methods };
  for (const node of all.flatMap(({ nodes }) => nodes)) {
    const what = unknown(node, everything);
    if (what !== undefined) {
      throw new Unsupported(what).at(node.position);
    }
  }
}

/** A text as it stands in a script; "" for what is worked out. */
function word(node: Expression): string {
  return node.kind === "Constant" && typeof node.value === "string" ? node.value : "";
}

/** Whether these are known depends on the machine. */
const named = new Set<AnyNode["kind"]>(["Command", "TypeName", "Member", "MethodCall"]);

function unknown(node: AnyNode, names: Names): string | undefined {
  if (node.kind === "Command") {
    return unknownCommand(node, names);
  }
  if (node.kind === "Member" || node.kind === "MethodCall") {
    return unknownMember(node, names);
  }
  if (node.kind === "TypeName") {
    const isKnown = /^ordered$/i.test(node.name) || names.types.find(node.name);
    return isKnown ? undefined : `the type [${node.name}]`;
  }
  return unknownSyntax(node);
}

function unknownSyntax(node: AnyNode): string | undefined {
  if (node.kind === "Binary" || node.kind === "Unary") {
    const known = node.kind === "Unary" ? unaryOperators : binaryOperators;
    const isKnown = known.has(node.operator.replace(/^-c(?!ontains)/, "-"));
    return isKnown ? undefined : `the operator ${node.operator}`;
  }
  if (node.kind === "Variable") {
    const isKnown = node.scope !== undefined || !unknownVariables.test(node.name);
    return isKnown ? undefined : `the variable $${node.name}`;
  }
  if (node.kind === "Redirection") {
    return "a redirection";
  }
  return node.kind === "Assignment" && node.target.kind === "Cast"
    ? "a type before a variable"
    : undefined;
}

function unknownMember(node: Member | MethodCall, { types, methods }: Names): string | undefined {
  const { kind, name, isStatic, object } = node;
  if (typeof name !== "string") {
    return "a member whose name is worked out";
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

function unknownCommand({ name, elements }: Command, names: Names): string | undefined {
  const written = word(name);
  const key = written.toLowerCase();
  const cmdlet = names.cmdlets.get(key);
  if (names.isFunction(key)) {
    return undefined;
  }
  if (!cmdlet) {
    // Verb-Noun is a cmdlet of PowerShell's; any other word may be a program, which is looked for when it is run.
    const isCmdlet = standardVerbs.test(key) && !key.endsWith(".ps1");
    return isCmdlet && !names.mayCall?.(key) ? `the command ${written}` : undefined;
  }
  const all = [...Object.keys(cmdlet.parameters), "ErrorAction"];
  for (const element of elements) {
    const start = element.kind === "CommandParameter" ? element.name : "";
    if (!all.some((each) => each.toLowerCase().startsWith(start.toLowerCase()))) {
      return `the parameter -${start} of ${cmdlet.name}`;
    }
  }
  return undefined;
}

/** Hands on a tree's nodes, each before those within it. */
export function visit(tree: object, on: (node: AnyNode) => void): void {
  if ("kind" in tree && "position" in tree) {
    on(tree as AnyNode);
  }
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === "object" && value !== null && key !== "position") {
      visit(value as object, on);
    }
  }
}
