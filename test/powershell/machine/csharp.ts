/**
 * C# for a real PowerShell from what the model of Windows declares: a cmdlet for each cmdlet, with its parameters, and a
 * class for each type that the machine answers for. What they do is Bridge.cs.
 */
import type { Cmdlet, ParameterDefinition } from "../../../rehearsal/powershell/commands.ts";
import type { Types } from "../../../rehearsal/powershell/types.ts";
import type { NetType, Overload } from "../../../rehearsal/powershell/values.ts";

/** Types of .NET in whose place scripts get the model's, by the names that follow `System.`. */
const shadowed = [
  "Threading.Mutex",
  "Threading.Tasks.Task",
  "Diagnostics.Stopwatch",
  "Diagnostics.Process",
  "Net.Sockets.TcpClient",
  "Net.Dns",
  "Environment",
  "Security.Principal.WindowsIdentity",
  "Security.Principal.WindowsPrincipal",
];

/** Those that Bridge.cs writes out. */
const written: Readonly<Record<string, string>> = {
  DateTime: "DateTime",
  Console: "Console",
  "IO.Directory": "Directory",
  "IO.FileStream": "FileStream_",
};

/** Types of .NET that only the model's objects have: scripts may make others. */
const returned = [
  "System.ServiceProcess.ServiceController",
  "System.IO.StreamWriter",
  "System.IO.StreamReader",
  "System.Diagnostics.Process#listed",
  "System.OperatingSystem",
];

const plain: Readonly<Record<string, string>> = {
  string: "string",
  int: "int",
  long: "long",
  uint64: "ulong",
  double: "double",
  bool: "bool",
  timespan: "global::System.TimeSpan",
  datetime: "global::System.DateTime",
  switch: "SwitchParameter",
  scriptblock: "ScriptBlock",
  "Collections.IDictionary": "IDictionary",
  "System.EnvironmentVariableTarget": "global::System.EnvironmentVariableTarget",
  "System.Diagnostics.ProcessStartInfo": "global::System.Diagnostics.ProcessStartInfo",
};

const quoted = (text: string): string => `"${text.replaceAll("\\", "\\\\")}"`;
const classOf = (name: string): string => name.replaceAll(/\W/g, "_");

export function csharp(cmdlets: readonly Cmdlet[], types: Types): string {
  const own = types.all().filter(({ name }) => /^(Microsoft\.(?!Win32)|Kindows)/.test(name));
  const enumerations = own.filter((type) => type.enumeration);
  const exceptions = own.filter(isException);
  const foreign = own.filter((type) => !type.enumeration && !isException(type));
  const generated = [
    ...[...shadowed.map((name) => `System.${name}`), ...returned].map((name) => types.get(name)),
    ...foreign,
  ];
  const known = new Set(generated.map(({ name }) => name));
  const typed = (name: string): string => {
    if (name.endsWith("[]")) return `${typed(name.slice(0, -2))}[]`;
    return plain[name] ?? (known.has(name) ? `Rehearsed.${classOf(name)}` : "object");
  };
  const entries = [
    ...generated.map(({ name }) => [name, `Rehearsed.${classOf(name)}`]),
    ...[...enumerations, ...exceptions.filter(isNew)].map(({ name }) => [name, `global::${name}`]),
  ];
  const shadows = [
    ...shadowed.map((name) => [name, `Rehearsed.${classOf(`System.${name}`)}`]),
    ...Object.entries(written).map(([name, of]) => [name, `Rehearsed.${of}`]),
  ];
  const table = (pairs: readonly (readonly (string | undefined)[])[]): string =>
    pairs.map(([name = "", of]) => `{ ${quoted(name)}, typeof(${of}) },`).join("\n");
  return [
    ...enumerations.map(enumeration),
    ...exceptions.filter(isNew).map(exception),
    "namespace Rehearsed {",
    ...generated.map((type) => modelClass(type, typed)),
    "public static class Generated {",
    `public static readonly Dictionary<string, Type> Types = new Dictionary<string, Type>(StringComparer.OrdinalIgnoreCase) {\n${table(entries)}\n};`,
    `public static readonly Hashtable Shadows = new Hashtable {\n${table(shadows)}\n};`,
    "}",
    "}",
    ...cmdlets.map(cmdletClass),
  ].join("\n");
}

const isException = ({ lineage }: NetType): boolean =>
  lineage.some(({ name }) => name === "System.Exception");

/** PowerShell itself has its own namespace's. */
const isNew = ({ name }: NetType): boolean => !name.startsWith("Microsoft.PowerShell.Commands.");

const inNamespace = (name: string, body: string): string =>
  `namespace ${name.replace(/\.\w+$/, "")} {\n${body}\n}`;

function enumeration({ name, shortName, enumeration }: NetType): string {
  const values = [...(enumeration?.values() ?? [])].map((each) => `${each.name} = ${each.number}`);
  return inNamespace(name, `public enum ${shortName} { ${values.join(", ")} }`);
}

function exception({ name, shortName }: NetType): string {
  const code = `public class ${shortName} : global::System.SystemException { public ${shortName}(string message) : base(message) { } }`;
  return inNamespace(name, code);
}

function modelClass(type: NetType, typed: (name: string) => string): string {
  const name = classOf(type.name);
  const formals = ({ parameters }: Overload): string =>
    parameters
      .map((each, at) => `${each === "ref" ? "out string" : typed(each)} a${at}`)
      .join(", ");
  const actuals = ({ parameters }: Overload): string =>
    parameters.map((each, at) => (each === "ref" ? "null" : `a${at}`)).join(", ");
  const statics = [...type.staticMethods.values()].flat().map((each) => {
    const given = `new object[] { ${actuals(each)} }`;
    const at = each.parameters.indexOf("ref");
    const body =
      at < 0
        ? `return Model.Use("static", ${quoted(type.name)}, null, ${quoted(each.name)}, ${given});`
        : `object r; object made = Model.Use("static", ${quoted(type.name)}, null, ${quoted(each.name)}, ${given}, out r); a${at} = (string)r; return made;`;
    return `public static object ${each.name}(${formals(each)}) { ${body} }`;
  });
  return [
    `public class ${name} : ModelObject {`,
    `public ${name}(Existing it) : base(it.Handle) { }`,
    ...(returned.includes(type.name) ? [] : type.constructors).map(
      (each) =>
        `public ${name}(${formals(each)}) : base(${quoted(type.name)}, new object[] { ${actuals(each)} }) { }`,
    ),
    ...statics,
    ...[...type.staticProperties.values()].map(
      (each) =>
        `public static object ${each.name} { get { return Model.StaticProperty(${quoted(type.name)}, ${quoted(each.name)}); } }`,
    ),
    ...lineage(type).flatMap((each) => [
      ...[...each.properties.values()].map(
        (property) =>
          `public object ${property.name} { get { return Read(${quoted(property.name)}); } }`,
      ),
      ...[...each.methods.values()]
        .flat()
        .filter((method) => method.name !== "ToString")
        .map(
          (method) =>
            `public object ${method.name}(${formals(method)}) { return Call(${quoted(method.name)}, new object[] { ${actuals(method)} }); }`,
        ),
    ]),
    "}",
  ].join("\n");
}

/** A type and those of its bases that add something, without members that it has itself. */
function lineage(type: NetType): Pick<NetType, "properties" | "methods">[] {
  const all = type.lineage.filter(({ name }) => name !== "System.Object");
  const properties = new Map(all.toReversed().flatMap((each) => [...each.properties.entries()]));
  const methods = new Map(all.toReversed().flatMap((each) => [...each.methods.entries()]));
  return [{ properties, methods }];
}

function cmdletClass({ name, parameters, implementation }: Cmdlet): string {
  const [verb = "", noun = ""] = name.split("-");
  const full = /\./.test(implementation) ? implementation : `Rehearsed.${verb}${noun}`;
  const body = [
    `[Cmdlet(${quoted(verb)}, ${quoted(noun)})]`,
    `public class ${full.replace(/^.*\./, "")} : Rehearsed.ModelCmdlet {`,
    `protected override string Of { get { return ${quoted(name)}; } }`,
    // Every cmdlet of a real PowerShell has this one by itself.
    ...parameters.filter(({ name }) => name !== "Verbose").map(parameter),
    "}",
  ];
  return inNamespace(full, body.join("\n"));
}

/** Objects that the model returns are some of PowerShell's own with properties, some of a generated class. */
const bound = (name: string): string =>
  name.endsWith("[]") ? `${bound(name.slice(0, -2))}[]` : (plain[name] ?? "object");

function parameter(definition: ParameterDefinition): string {
  const { name, type, position, mandatory, set, allowsEmpty } = definition;
  const given = [
    ...(position === undefined ? [] : [`Position = ${position}`]),
    ...(mandatory ? ["Mandatory = true"] : []),
    ...(name === "InputObject" ? ["ValueFromPipeline = true"] : []),
  ];
  const valid = set ? `[ValidateSet(${set.map(quoted).join(", ")})] ` : "";
  const empty = allowsEmpty ? "[AllowNull] [AllowEmptyString] [AllowEmptyCollection] " : "";
  return `[Parameter(${given.join(", ")})] ${valid}${empty}public ${bound(type)} ${name} { get; set; }`;
}
