/** .NET's and PowerShell's exceptions, and what a catch block can ask of an error. */
import { errorRecord, types, type TypeDefinition } from "../types.ts";
import {
  NetException,
  NetObject,
  type ErrorRecord,
  type NetType,
  type Result,
  type Value,
} from "../values.ts";

types.define({
  name: "System.Exception",
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
    // Known to .NET where it was thrown in .NET's own code; nobody reads more than whether there is one.
    StackTrace: () => null,
    HelpLink: () => null,
  },
  methods: {
    "GetBaseException()": (self: NetException) => self.root,
    "ToString()": (self: NetException) => described(self),
  },
  unsupported: ["Source", "TargetSite", "ErrorRecord", "GetObjectData"],
});

function described(exception: NetException): string {
  const inner =
    exception.inner === null
      ? ""
      : ` ---> ${described(exception.inner)}\r\n   --- End of inner exception stack trace ---`;
  return `${exception.type.name}: ${exception.message}${inner}`;
}

interface ExceptionOptions {
  readonly base?: string;
  /** What it says where nobody says anything else. */
  readonly message?: string;
  readonly hresult?: number;
  /** Further properties, out of the exception's details. */
  readonly details?: readonly string[];
  /** In place of the usual ones. */
  readonly constructors?: (type: () => NetType) => TypeDefinition["constructors"];
}

/** Declares an exception with the usual constructors: (), (message), (message, inner). */
export function defineException(name: string, options: ExceptionOptions = {}): NetType {
  const {
    base = "System.Exception",
    message = `Exception of type '${name}' was thrown.`,
    details = [],
  } = options;
  const make = (text: string | null, inner: NetException | null = null) =>
    new NetException(type, text ?? message, inner, options.hresult);
  const type: NetType = types.define({
    name,
    base,
    properties: Object.fromEntries(
      details.map((detail): [string, (self: NetException) => Result] => [
        detail,
        (self) => self.details.get(detail.toLowerCase()) ?? null,
      ]),
    ),
    constructors: options.constructors?.(() => type) ?? {
      "()": () => make(null),
      "(string)": (_: null, text: string | null) => make(text),
      "(string, Exception)": (_: null, text: string | null, inner: NetException | null) =>
        make(text, inner),
    },
  });
  return type;
}

// The base of all has been defined above; here it gets its own constructors.
types.extend("System.Exception", {
  constructors: {
    "()": () =>
      new NetException(
        types.get("System.Exception"),
        "Exception of type 'System.Exception' was thrown.",
      ),
    "(string)": (_: null, text: string | null) =>
      new NetException(types.get("System.Exception"), text ?? ""),
    "(string, Exception)": (_: null, text: string | null, inner: NetException | null) =>
      new NetException(types.get("System.Exception"), text ?? "", inner),
  },
});

const system = "System.SystemException";
defineException(system, { message: "System error.", hresult: -2146233087 });
defineException("System.ApplicationException", {
  message: "Error in the application.",
  hresult: -2146232832,
});

/** With the parameter's name in a line of its own, as .NET Framework writes it. */
export function argumentMessage(message: string, parameter: string | null): string {
  return parameter === null || parameter === ""
    ? message
    : `${message}\r\nParameter name: ${parameter}`;
}

function argumentDetails(parameter: string | null): ReadonlyMap<string, Value> {
  return new Map([["paramname", parameter]]);
}

defineException("System.ArgumentException", {
  base: system,
  details: ["ParamName"],
  hresult: -2147024809,
  constructors: (type) => {
    const make = (message: string, parameter: string | null, inner: NetException | null = null) =>
      new NetException(
        type(),
        argumentMessage(message, parameter),
        inner,
        -2147024809,
        argumentDetails(parameter),
      );
    return {
      "()": () => make("Value does not fall within the expected range.", null),
      "(string)": (_: null, message: string) => make(message, null),
      "(string, string)": (_: null, message: string, parameter: string) => make(message, parameter),
      "(string, Exception)": (_: null, message: string, inner: NetException) =>
        make(message, null, inner),
    };
  },
});

/** Those whose first text is a parameter's name. */
function defineArgumentException(name: string, message: string, hresult: number): void {
  defineException(name, {
    base: "System.ArgumentException",
    constructors: (type) => {
      const make = (text: string, parameter: string | null) =>
        new NetException(
          type(),
          argumentMessage(text, parameter),
          null,
          hresult,
          argumentDetails(parameter),
        );
      return {
        "()": () => make(message, null),
        "(string)": (_: null, parameter: string) => make(message, parameter),
        "(string, string)": (_: null, parameter: string, text: string) => make(text, parameter),
      };
    },
  });
}
defineArgumentException("System.ArgumentNullException", "Value cannot be null.", -2147467261);
defineArgumentException(
  "System.ArgumentOutOfRangeException",
  "Specified argument was out of the range of valid values.",
  -2146233086,
);

for (const [name, message, hresult, base = system] of [
  [
    "InvalidOperationException",
    "Operation is not valid due to the current state of the object.",
    -2146233079,
  ],
  [
    "ObjectDisposedException",
    "Cannot access a disposed object.",
    -2146232798,
    "System.InvalidOperationException",
  ],
  ["FormatException", "One of the identified items was in an invalid format.", -2146233033],
  [
    "UriFormatException",
    "Invalid URI: The format of the URI could not be determined.",
    -2146233033,
    "System.FormatException",
  ],
  ["ArithmeticException", "Overflow or underflow in the arithmetic operation.", -2147024362],
  [
    "OverflowException",
    "Arithmetic operation resulted in an overflow.",
    -2146233066,
    "System.ArithmeticException",
  ],
  [
    "DivideByZeroException",
    "Attempted to divide by zero.",
    -2147352558,
    "System.ArithmeticException",
  ],
  ["InvalidCastException", "Specified cast is not valid.", -2147467262],
  ["NullReferenceException", "Object reference not set to an instance of an object.", -2147467261],
  ["IndexOutOfRangeException", "Index was outside the bounds of the array.", -2146233080],
  ["TimeoutException", "The operation has timed out.", -2146233083],
  ["NotSupportedException", "Specified method is not supported.", -2146233067],
  [
    "PlatformNotSupportedException",
    "Operation is not supported on this platform.",
    -2146233031,
    "System.NotSupportedException",
  ],
  ["NotImplementedException", "The method or operation is not implemented.", -2147467263],
  ["OperationCanceledException", "The operation was canceled.", -2146233029],
  [
    "Threading.Tasks.TaskCanceledException",
    "A task was canceled.",
    -2146233029,
    "System.OperationCanceledException",
  ],
  ["AggregateException", "One or more errors occurred.", -2146233088, "System.Exception"],
  [
    "Threading.AbandonedMutexException",
    "The wait completed due to an abandoned mutex.",
    -2146233043,
  ],
  [
    "Threading.SynchronizationLockException",
    "Object synchronization method was called from an unsynchronized block of code.",
    -2146233064,
  ],
  [
    "Collections.Generic.KeyNotFoundException",
    "The given key was not present in the dictionary.",
    -2146232969,
  ],
  ["Security.SecurityException", "Security error.", -2146233078],
  [
    "Security.Cryptography.CryptographicException",
    "Error occurred during a cryptographic operation.",
    -2146233296,
  ],
  [
    "Runtime.InteropServices.ExternalException",
    "External component has thrown an exception.",
    -2147467259,
  ],
  [
    "Runtime.InteropServices.COMException",
    "Error HRESULT E_FAIL has been returned from a call to a COM component.",
    -2147467259,
    "System.Runtime.InteropServices.ExternalException",
  ],
  [
    "ComponentModel.Win32Exception",
    "Unspecified error",
    -2147467259,
    "System.Runtime.InteropServices.ExternalException",
  ],
  [
    "Net.Sockets.SocketException",
    "Unspecified error",
    -2147467259,
    "System.ComponentModel.Win32Exception",
  ],
] as const) {
  defineException(`System.${name}`, { message, hresult, base });
}
types.extend("System.Threading.AbandonedMutexException", { unsupported: ["Mutex", "MutexIndex"] });
types.extend("System.AggregateException", {
  unsupported: ["InnerExceptions", "Flatten", "Handle"],
});
types.extend("System.ComponentModel.Win32Exception", { unsupported: ["NativeErrorCode"] });
types.extend("System.Net.Sockets.SocketException", { unsupported: ["SocketErrorCode"] });

const automation = "System.Management.Automation";
for (const [name, base, details = []] of [
  ["RuntimeException", system],
  ["ActionPreferenceStopException", `${automation}.RuntimeException`],
  ["CommandNotFoundException", `${automation}.RuntimeException`, ["CommandName"]],
  ["ParseException", `${automation}.RuntimeException`],
  ["IncompleteParseException", `${automation}.ParseException`],
  ["MethodException", `${automation}.ExtendedTypeSystemException`],
  ["MethodInvocationException", `${automation}.MethodException`],
  ["GetValueException", `${automation}.ExtendedTypeSystemException`],
  ["GetValueInvocationException", `${automation}.GetValueException`],
  ["SetValueException", `${automation}.ExtendedTypeSystemException`],
  ["SetValueInvocationException", `${automation}.SetValueException`],
  ["PropertyNotFoundException", `${automation}.ExtendedTypeSystemException`],
  ["ParameterBindingException", `${automation}.RuntimeException`, ["ParameterName"]],
  ["ParameterBindingValidationException", `${automation}.ParameterBindingException`],
  ["ParameterBindingArgumentTransformationException", `${automation}.ParameterBindingException`],
  ["ValidationMetadataException", `${automation}.MetadataException`],
  ["ArgumentTransformationMetadataException", `${automation}.MetadataException`],
  ["ItemNotFoundException", `${automation}.SessionStateException`],
  ["DriveNotFoundException", `${automation}.SessionStateException`],
  ["ProviderInvocationException", `${automation}.RuntimeException`],
  ["ScriptCallDepthException", system],
  ["RemoteException", `${automation}.RuntimeException`],
  ["PSInvalidCastException", "System.InvalidCastException"],
  ["PSInvalidOperationException", "System.InvalidOperationException"],
  ["PSNotSupportedException", "System.NotSupportedException"],
  ["PSArgumentException", "System.ArgumentException"],
  ["PSArgumentNullException", "System.ArgumentNullException"],
  ["PSArgumentOutOfRangeException", "System.ArgumentOutOfRangeException"],
] as [name: string, base: string, details?: string[]][]) {
  // The middle of the families, where one of them is first to need it.
  if (!types.find(base)) {
    defineException(base, { base: `${automation}.RuntimeException`, hresult: -2146233087 });
  }
  defineException(`${automation}.${name}`, { base, details, hresult: -2146233087 });
}
const invocationInfo = types.define({
  name: `${automation}.InvocationInfo`,
  properties: {
    ScriptName: ({ state }: NetObject<ErrorRecord>) => state.position?.file.path ?? null,
    ScriptLineNumber: ({ state }: NetObject<ErrorRecord>) => state.position?.line ?? 0,
    OffsetInLine: ({ state }: NetObject<ErrorRecord>) => column(state),
    Line: ({ state }: NetObject<ErrorRecord>) => line(state),
    PositionMessage: ({ state }: NetObject<ErrorRecord>) => positionMessage(state),
  },
  unsupported: [
    "MyCommand",
    "BoundParameters",
    "UnboundArguments",
    "InvocationName",
    "PSScriptRoot",
    "PSCommandPath",
    "Statement",
  ],
});

function lineStart({ position }: ErrorRecord): number {
  return position ? position.file.text.lastIndexOf("\n", position.start - 1) + 1 : 0;
}

function column(record: ErrorRecord): number {
  return record.position ? record.position.start - lineStart(record) + 1 : 0;
}

function line(record: ErrorRecord): string {
  return record.position
    ? (/^.*\n?/.exec(record.position.file.text.slice(lineStart(record)))?.[0] ?? "")
    : "";
}

function positionMessage(record: ErrorRecord): string {
  const { position } = record;
  if (!position) {
    return "";
  }
  const text = line(record).trimEnd();
  const before = column(record) - 1;
  const marked = Math.max(1, Math.min(position.end - position.start, text.length - before));
  return [
    `At ${position.file.path}:${String(position.line)} char:${String(before + 1)}`,
    `+ ${text}`,
    `+ ${" ".repeat(before)}${"~".repeat(marked)}`,
  ].join("\r\n");
}

const categoryInfo = types.define({
  name: `${automation}.ErrorCategoryInfo`,
  properties: {
    Category: ({ state }: NetObject<ErrorRecord>) => state.category,
    Reason: ({ state }: NetObject<ErrorRecord>) => state.exception.type.shortName,
  },
  methods: {
    "ToString()": ({ state }: NetObject<ErrorRecord>) =>
      `${state.category}: (:) [], ${state.exception.type.shortName}`,
  },
  unsupported: ["Activity", "TargetName", "TargetType", "GetMessage"],
});

types.extend(errorRecord, {
  properties: {
    Exception: (self: ErrorRecord) => self.exception,
    FullyQualifiedErrorId: (self: ErrorRecord) => self.id,
    CategoryInfo: (self: ErrorRecord) => new NetObject(categoryInfo, self),
    InvocationInfo: (self: ErrorRecord) => new NetObject(invocationInfo, self),
    TargetObject: (self: ErrorRecord) => self.target,
    ErrorDetails: () => null,
    ScriptStackTrace: (self: ErrorRecord) =>
      self.position
        ? `at <ScriptBlock>, ${self.position.file.path}: line ${String(self.position.line)}`
        : "at <ScriptBlock>, <No file>: line 1",
  },
  methods: { "ToString()": (self: ErrorRecord) => self.exception.message },
  unsupported: ["PipelineIterationInfo"],
});
