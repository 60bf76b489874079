/** .NET's and PowerShell's exceptions, and what a catch block can ask of an error. */
import { errorRecord, raised, types } from "../types.ts";
import {
  NetException,
  NetObject,
  type ErrorRecord,
  type NetType,
  type Raised,
  type Value,
} from "../values.ts";

type Message = string | null;
type Inner = NetException | null;

/** Declares an exception that is made of a message, or of a message and an inner exception. */
export function defineException(
  name: string,
  base = "System.Exception",
  hresult?: number,
  detail?: string,
): NetType {
  const make = (_: null, message: Message, inner: Inner = null) =>
    new NetException(type, message ?? `Exception of type '${name}' was thrown.`, inner);
  const type: NetType = types.define({
    name,
    base: name === "System.Exception" ? "System.Object" : base,
    properties:
      detail === undefined ? {} : { [detail]: (self: NetException) => ofDetails(self, detail) },
  });
  type.hresult = hresult;
  return types.extend(type, { constructors: { "(string)": make, "(string, Exception)": make } });
}

function ofDetails(exception: NetException, name: string): Value {
  return exception.details.get(name.toLowerCase()) ?? null;
}

defineException("System.Exception");
types.extend("System.Exception", {
  properties: {
    Message: (self: NetException) => self.message,
    InnerException: (self: NetException) => self.inner,
    Data: (self: NetException) => self.data,
    HResult: [
      (self: NetException) => self.hresult,
      (self: NetException, value: number) => {
        self.hresult = value;
      },
    ],
  },
  methods: {
    "GetBaseException()": (self: NetException) => self.root,
    "ToString()": described,
  },
  unsupported: ["Source", "TargetSite", "ErrorRecord", "HelpLink", "StackTrace"],
});

function described(exception: NetException): string {
  const { inner, message, type } = exception;
  const cause =
    inner && ` ---> ${described(inner)}\r\n   --- End of inner exception stack trace ---`;
  return `${type.name}: ${message}${cause ?? ""}`;
}

const system = "System.SystemException";
defineException(system, "System.Exception", -2146233087);
for (const [name, hresult, base = "SystemException"] of [
  ["ApplicationException", -2146232832, "Exception"],
  ["InvalidOperationException", -2146233079],
  ["ObjectDisposedException", -2146232798, "InvalidOperationException"],
  ["FormatException", -2146233033],
  ["UriFormatException", -2146233033, "FormatException"],
  ["ArithmeticException", -2147024362],
  ["OverflowException", -2146233066, "ArithmeticException"],
  ["DivideByZeroException", -2147352558, "ArithmeticException"],
  ["InvalidCastException", -2147467262],
  ["NullReferenceException", -2147467261],
  ["IndexOutOfRangeException", -2146233080],
  ["TimeoutException", -2146233083],
  ["NotSupportedException", -2146233067],
  ["PlatformNotSupportedException", -2146233031, "NotSupportedException"],
  ["NotImplementedException", -2147467263],
  ["OperationCanceledException", -2146233029],
  ["Threading.Tasks.TaskCanceledException", -2146233029, "OperationCanceledException"],
  ["AggregateException", -2146233088, "Exception"],
  ["Threading.AbandonedMutexException", -2146233043],
  ["Security.SecurityException", -2146233078],
  ["Runtime.InteropServices.ExternalException", -2147467259],
  [
    "Runtime.InteropServices.COMException",
    -2147467259,
    "Runtime.InteropServices.ExternalException",
  ],
  ["ComponentModel.Win32Exception", -2147467259, "Runtime.InteropServices.ExternalException"],
  ["Net.Sockets.SocketException", -2147467259, "ComponentModel.Win32Exception"],
] as const) {
  defineException(`System.${name}`, `System.${base}`, hresult);
}
types.extend("System.AggregateException", { unsupported: ["InnerExceptions"] });
types.extend("System.ComponentModel.Win32Exception", {
  unsupported: ["NativeErrorCode", "SocketErrorCode"],
});

/** Those that tell a parameter; .NET Framework does so in a line of its own. */
function defineArgument(name: string, hresult: number, nameFirst: boolean): void {
  const base = nameFirst ? "System.ArgumentException" : system;
  const type = types.define({
    name,
    base,
    properties: { ParamName: (self: NetException) => ofDetails(self, "ParamName") },
    constructors: {
      "(string, string)": (_: null, first: string, second: string) =>
        (nameFirst ? argumentError(name, second, first) : argumentError(name, first, second))
          .exception,
      ...(nameFirst
        ? {}
        : { "(string)": (_: null, message: string) => new NetException(type, message) }),
    },
  });
  type.hresult = hresult;
}
defineArgument("System.ArgumentException", -2147024809, false);
defineArgument("System.ArgumentNullException", -2147467261, true);
defineArgument("System.ArgumentOutOfRangeException", -2146233086, true);

function argumentError(type: string, message: string, parameter: string): Raised {
  return raised(type, `${message}\r\nParameter name: ${parameter}`, {
    details: new Map([["paramname", parameter]]),
  });
}

export function badArgument(message: string, parameter: string): Raised {
  return argumentError("System.ArgumentException", message, parameter);
}

export function missingArgument(parameter: string): Raised {
  return argumentError("System.ArgumentNullException", "Value cannot be null.", parameter);
}

export function outOfRange(message: string, parameter: string): Raised {
  return argumentError("System.ArgumentOutOfRangeException", message, parameter);
}

export function badFormat(message = "Input string was not in a correct format."): Raised {
  return raised("System.FormatException", message);
}

const automation = "System.Management.Automation";
for (const [name, base, detail] of [
  ["RuntimeException", "SystemException"],
  ["ActionPreferenceStopException"],
  ["CommandNotFoundException", undefined, "CommandName"],
  ["ParseException"],
  ["RemoteException"],
  ["ExtendedTypeSystemException"],
  ["MethodException", "ExtendedTypeSystemException"],
  ["MethodInvocationException", "MethodException"],
  ["GetValueException", "ExtendedTypeSystemException"],
  ["GetValueInvocationException", "GetValueException"],
  ["SetValueException", "ExtendedTypeSystemException"],
  ["SetValueInvocationException", "SetValueException"],
  ["PropertyNotFoundException", "ExtendedTypeSystemException"],
  ["ParameterBindingException", undefined, "ParameterName"],
  ["ParameterBindingValidationException", "ParameterBindingException"],
  ["ParameterBindingArgumentTransformationException", "ParameterBindingException"],
  ["MetadataException"],
  ["ValidationMetadataException", "MetadataException"],
  ["ArgumentTransformationMetadataException", "MetadataException"],
  ["SessionStateException"],
  ["ItemNotFoundException", "SessionStateException"],
  ["DriveNotFoundException", "SessionStateException"],
  ["ProviderInvocationException"],
  ["PSInvalidCastException", "InvalidCastException"],
  ["PSInvalidOperationException", "InvalidOperationException"],
  ["PSNotSupportedException", "NotSupportedException"],
  ["PSArgumentException", "ArgumentException"],
  ["PSArgumentNullException", "ArgumentNullException"],
  ["PSArgumentOutOfRangeException", "ArgumentOutOfRangeException"],
] as readonly (readonly [name: string, base?: string, detail?: string])[]) {
  const full = [`${automation}.${base ?? "RuntimeException"}`, `System.${base ?? ""}`];
  const isArgument = base?.startsWith("Argument") ?? false;
  const known = full.find((each) => types.find(each)) ?? system;
  defineException(`${automation}.${name}`, known, isArgument ? undefined : -2146233087, detail);
}

const invocationInfo = types.define({
  name: `${automation}.InvocationInfo`,
  properties: {
    ScriptName: ({ state }: NetObject<ErrorRecord>) => state.position?.file.path ?? null,
    ScriptLineNumber: ({ state }: NetObject<ErrorRecord>) => state.position?.line ?? 0,
    OffsetInLine: ({ state }: NetObject<ErrorRecord>) => place(state).column,
    Line: ({ state }: NetObject<ErrorRecord>) => place(state).line,
    PositionMessage: ({ state }: NetObject<ErrorRecord>) => positionMessage(state),
  },
  unsupported: ["MyCommand", "BoundParameters", "InvocationName", "PSScriptRoot", "PSCommandPath"],
});

/** The line an error happened in, with its end, and the column in it, counted from 1. */
function place({ position }: ErrorRecord): { readonly line: string; readonly column: number } {
  if (!position) {
    return { line: "", column: 0 };
  }
  const { text } = position.file;
  const start = text.lastIndexOf("\n", position.start - 1) + 1;
  return {
    line: /^.*\n?/.exec(text.slice(start))?.[0] ?? "",
    column: position.start - start + 1,
  };
}

function positionMessage(record: ErrorRecord): string {
  const { position } = record;
  if (!position) {
    return "";
  }
  const { line, column } = place(record);
  const text = line.trimEnd();
  const marked = Math.max(1, Math.min(position.end - position.start, text.length - column + 1));
  return [
    `At ${position.file.path}:${String(position.line)} char:${String(column)}`,
    `+ ${text}`,
    `+ ${" ".repeat(column - 1)}${"~".repeat(marked)}`,
  ].join("\r\n");
}

const categoryInfo = types.define({
  name: `${automation}.ErrorCategoryInfo`,
  properties: {
    Category: ({ state }: NetObject<ErrorRecord>) => state.category,
    Reason: ({ state }: NetObject<ErrorRecord>) => state.exception.type.shortName,
  },
  unsupported: ["Activity", "TargetName", "TargetType"],
});

types.extend(errorRecord, {
  properties: {
    Exception: (self: ErrorRecord) => self.exception,
    FullyQualifiedErrorId: (self: ErrorRecord) => self.id,
    CategoryInfo: (self: ErrorRecord) => new NetObject(categoryInfo, self),
    InvocationInfo: (self: ErrorRecord) => new NetObject(invocationInfo, self),
    TargetObject: (self: ErrorRecord) => self.target,
    ErrorDetails: () => null,
  },
  methods: { "ToString()": (self: ErrorRecord) => self.exception.message },
  unsupported: ["PipelineIterationInfo", "ScriptStackTrace"],
});
