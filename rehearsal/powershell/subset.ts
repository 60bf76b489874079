/**
 * The subset of PowerShell that the interpreter knows: the syntax that the parser accepts, the operators below, and the
 * declared cmdlets, parameters, types and members. A script that uses anything else is refused before it runs.
 */
import type { Cmdlet } from "./commands.ts";
import { fileOf, type AnyNode, type Expression, type Position, type ScriptBody } from "./syntax.ts";
import type { Types } from "./types.ts";
import { Unsupported } from "./values.ts";

/** In lower case, without the leading `c` of the case-sensitive forms. */
const binaryOperators = new Set(
  (
    "+ - * / % .. -and -or -eq -ne -gt -ge -lt -le -like -notlike -match -notmatch -replace -split -join " +
    "-contains -notcontains -in -notin -is -f"
  ).split(" "),
);
const unaryOperators = new Set(["++", "--", "-", ",", "-not", "!"]);

/** Automatic variables of PowerShell that the interpreter does not set. */
const unknownVariables =
  /^(\?|\$|\^|error|executioncontext|foreach|home|host|is(coreclr|linux|macos|windows)|myinvocation|nestedpromptlevel|ofs|pid|profile|pscmdlet|ps(ui)?culture|psedition|pshome|pwd|sender|shellid|stacktrace|switch)$/i;

/** Aliases, and functions of the console, that 5.1 has: it runs them in place of a function or a program of that name. */
export const aliases: ReadonlySet<string> = new Set(
  (
    "% ? ac asnp cat cd chdir clc clear clhy cli clp cls clv cnsn compare copy cp cpi cpp curl cvpa dbp del diff dir " +
    "dnsn ebp echo epal epcsv epsn erase etsn exsn fc fhx fl foreach ft fw gal gbp gc gci gcm gcs gdr ghy gi gjb gl gm " +
    "gmo gp gps gpv group gsn gsnp gsv gu gv gwmi h help history icm iex ihy ii ipal ipcsv ipmo ipsn irm ise iwmi iwr " +
    "kill lp ls man md measure mi mkdir more mount move mp mv nal ndr ni nmo npssc nsn nv ogv oh pause popd ps pushd " +
    "pwd r rbp rcjb rcsn rd rdr ren ri rjb rm rmdir rmo rni rnp rp rsn rsnp rujb rv rvpa rwmi sajb sal saps sasv sbp " +
    "sc select set shcm si sl sleep sls sort sp spjb spps spsv start sujb sv swmi tee trcm type wget where wjb write"
  ).split(" "),
);

/** Those that other people's scripts use here, and what they stand for. */
export const knownAliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ "?": "Where-Object", where: "Where-Object", select: "Select-Object" },
    ...{ ipmo: "Import-Module", gci: "Get-ChildItem", rm: "Remove-Item" },
  }),
);

const standardVerbs =
  /^(add|clear|compare|complete|confirm|convert|convertfrom|convertto|copy|disable|enable|enter|exit|expand|export|find|foreach|format|get|group|import|initialize|install|invoke|join|measure|mount|move|new|out|read|receive|register|remove|rename|repair|reset|resize|resolve|restart|resume|save|select|send|set|show|sort|split|start|stop|suspend|tee|test|trace|unblock|uninstall|unregister|update|wait|where|write)-/;

/** What a script may use. A model of a machine adds its own cmdlets, types and programs. */
interface Known {
  readonly cmdlets: ReadonlyMap<string, Cmdlet>;
  readonly types: Types;
  /** Whether a script may contain an unknown command, by its name in lower case. */
  readonly mayCall?: (name: string) => boolean;
  /** Whether a function of this name, in lower case, is already defined. */
  readonly isFunction: (name: string) => boolean;
}

/** A parsed script, with what it defines and uses. Only arrays and plain objects, so that it can be saved as JSON. */
export interface Script {
  readonly body: ScriptBody;
  readonly functions: string[];
  /** Keys of hashtables, in lower case. In an object made from one, a script block can be called like a method. */
  readonly keys: string[];
  /** Files it dot-sources, relative to its folder or absolute, as far as the text shows them. */
  readonly sourced: string[];
  /** Module files that it imports, as far as the text shows them, relative to its folder. */
  readonly modules: string[];
  /** Syntax that no machine knows, in functions of a module. */
  readonly refused: { readonly what: string; readonly position: Position }[];
  /** Commands, types and members that depend on the machine, each with the position of its first use. */
  readonly uses: Use[];
}

interface Use {
  readonly kind: "Command" | "TypeName" | "Member" | "MethodCall";
  /** "" for a command whose name is computed. */
  readonly name: string;
  /** The type of a static member. */
  readonly type?: string;
  readonly parameters?: readonly string[];
  readonly position: Position;
}

/** @throws Unsupported for syntax, operators and variables that no machine knows. */
export function scriptOf(body: ScriptBody): Script {
  const lists = { functions: [], keys: [], sourced: [], modules: [], refused: [], uses: [] };
  const script: Script = { body, ...lists };
  const seen = new Set<string>();
  visit(body, (node) => {
    const wrong = unknownSyntax(node);
    if (wrong !== undefined && !isModule(body)) throw new Unsupported(wrong).at(node.position);
    if (wrong !== undefined) script.refused.push({ what: wrong, position: node.position });
    const use = useOf(node);
    const key = JSON.stringify({ ...use, position: undefined });
    if (use && (!seen.has(key) || isModule(body))) {
      seen.add(key);
      script.uses.push(use);
    }
    collect(node, script);
  });
  return script;
}

function useOf(node: AnyNode): Use | undefined {
  const { position } = node;
  if (node.kind === "Command") {
    const parameters = node.elements.flatMap((each) =>
      each.kind === "CommandParameter" ? [each.name] : [],
    );
    return { kind: node.kind, name: word(node.name), parameters, position };
  }
  if (node.kind === "TypeName") return { kind: node.kind, name: node.name, position };
  if (node.kind !== "Member" && node.kind !== "MethodCall") return undefined;
  const { kind, isStatic, object } = node;
  const type = isStatic && object.kind === "TypeLiteral" ? object.type.name : undefined;
  // Properties of a script's own objects may have any name. Undeclared .NET properties are refused when they are read.
  const mayBeAny = type === undefined && (isStatic || kind === "Member");
  return mayBeAny ? undefined : { kind, name: node.name, type, position };
}

function collect(node: AnyNode, { functions, keys, modules, sourced }: Script): void {
  if (node.kind === "FunctionDefinition") {
    functions.push(node.name.toLowerCase());
  } else if (node.kind === "HashtableLiteral") {
    keys.push(...node.pairs.map(({ key }) => word(key).toLowerCase()));
  } else if (node.kind === "Command" && node.invocation === ".") {
    const { start, end } = node.position;
    const pattern = /(?:\$PSScriptRoot(?:['"]?\s+['"]?|[\\/])|^\.\s+(?:'|\.\\))([^'"\s]+\.ps1)\b/i;
    const [, path] = pattern.exec(fileOf(node.position).text.slice(start, end)) ?? [];
    sourced.push(...(path === undefined ? [] : [path]));
  } else if (node.kind === "Command" && /^(ipmo|import-module)$/i.test(word(node.name))) {
    const { start, end } = node.position;
    const text = fileOf(node.position)
      .text.slice(start, end)
      .replace(/\$\w+[\\/]/, "");
    modules.push(...(/\w[\w\\/-]*\.psm1\b/i.exec(text) ?? []));
  }
}

/** `methods` are those of all types and of the scripts' own objects, in lower case. */
type Names = Known & { readonly methods: ReadonlySet<string> };

/** Whether a script is a module, of whose functions most scripts use few. */
function isModule({ position }: ScriptBody): boolean {
  return /\.psm1$/i.test(fileOf(position).path);
}

/**
 * Checks scripts that run together. @throws Unsupported for the first unknown command, type or member.
 *
 * @returns the functions of modules that use something unknown, each with what it uses: they are refused when they are called.
 */
export function check(all: readonly Script[], names: Known): ReadonlyMap<ScriptBody, Unsupported> {
  const refused = new Map<ScriptBody, Unsupported>();
  const refuse = ({ body }: Script, what: string, position: Position): void => {
    const problem = new Unsupported(what).at(position);
    const within = isModule(body)
      ? body.statements.find(
          ({ kind, position: { start, end } }) =>
            kind === "FunctionDefinition" && start < position.start && position.end < end,
        )
      : undefined;
    if (within?.kind !== "FunctionDefinition") throw problem;
    if (!refused.has(within.body)) refused.set(within.body, problem);
  };
  const methods = new Set(["invoke", ...all.flatMap((script) => script.keys)]);
  for (const type of names.types.all()) {
    for (const name of type.methods.keys()) methods.add(name);
  }
  const functions = new Set(all.flatMap((script) => script.functions));
  const isFunction = (name: string) => functions.has(name) || names.isFunction(name);
  const everything = { ...names, isFunction, methods };
  for (const script of all) {
    for (const { what, position } of script.refused) refuse(script, what, position);
    for (const use of script.uses) {
      const what = unknown(use, everything);
      if (what !== undefined) refuse(script, what, use.position);
    }
  }
  return refused;
}

/** The value of a constant string; "" for anything else. */
function word(node: Expression): string {
  return node.kind === "Constant" && typeof node.value === "string" ? node.value : "";
}

function unknown(use: Use, names: Names): string | undefined {
  if (use.kind === "Command") return unknownCommand(use, names);
  if (use.kind === "TypeName") {
    const isKnown = /^ordered$/i.test(use.name) || names.types.find(use.name);
    return isKnown ? undefined : `the type [${use.name}]`;
  }
  return unknownMember(use, names);
}

function unknownSyntax(node: AnyNode): string | undefined {
  if ("type" in node && /^ordered$/i.test(node.type?.name ?? "")) {
    const isTable = node.kind === "Cast" && node.operand.kind === "HashtableLiteral";
    if (!isTable) return "[ordered] before anything but a table";
  }
  if (node.kind === "Binary" || node.kind === "Unary") {
    const known = node.kind === "Unary" ? unaryOperators : binaryOperators;
    const isKnown = known.has(node.operator.replace(/^-c(?!ontains)/, "-"));
    return isKnown ? undefined : `the operator ${node.operator}`;
  }
  if (node.kind === "Redirection") return "a redirection";
  if (node.kind === "FunctionDefinition" && aliases.has(node.name.toLowerCase())) {
    return `a function with the name of the alias ${node.name}`;
  }
  if (node.kind === "Variable") {
    const isKnown = node.scope !== undefined || !unknownVariables.test(node.name);
    return isKnown ? undefined : `the variable $${node.name}`;
  }
  return node.kind === "Assignment" && node.target.kind === "Cast"
    ? "a type before a variable"
    : undefined;
}

function unknownMember(use: Use, { types, methods }: Names): string | undefined {
  const { kind, name } = use;
  const key = name.toLowerCase();
  if (use.type === undefined) return methods.has(key) ? undefined : `the method ${name}`;
  const type = types.find(use.type);
  const isKnown =
    !type ||
    (kind === "MethodCall"
      ? type.staticOverloads(key).length > 0
      : type.staticProperties.has(key) || type.enumeration?.has(key));
  return isKnown ? undefined : `[${type.name}]::${name}`;
}

function unknownCommand({ name, parameters = [] }: Use, names: Names): string | undefined {
  const meant = knownAliases.get(name.toLowerCase()) ?? name;
  const key = meant.toLowerCase();
  const cmdlet = names.cmdlets.get(key);
  if (aliases.has(key)) return `the alias ${name}`;
  if (names.isFunction(key)) return undefined;
  if (!cmdlet) {
    // A name with a standard verb is a cmdlet. Any other may be a program, which is searched for when it runs.
    const isCmdlet = standardVerbs.test(key) && !key.endsWith(".ps1");
    return isCmdlet && !names.mayCall?.(key) ? `the command ${name}` : undefined;
  }
  const all = [...cmdlet.parameters.map((each) => each.name), "ErrorAction"];
  const begins = (name: string, start: string) =>
    name.toLowerCase().startsWith(start.toLowerCase());
  const start = parameters.find((each) => !all.some((one) => begins(one, each)));
  return start === undefined ? undefined : `the parameter -${start} of ${cmdlet.name}`;
}

/** Visits the nodes of a tree, parents before children. */
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
