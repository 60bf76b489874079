/** Exceptions of .NET and PowerShell, and the members of error records. */
import { toText } from "../convert.ts";
import { fileOf, lineOf } from "../syntax.ts";
import { errorRecord, raised, types } from "../types.ts";
import {
  NetException,
  Unsupported,
  type ErrorRecord,
  type NetType,
  type Raised,
} from "../values.ts";

/** Exceptions below System: each one's base, and its HResult if that differs from its base's. */
const exceptions: Readonly<Record<string, readonly [base: string, hresult?: number]>> = {
  Exception: ["Object"],
  SystemException: ["Exception", 0x80131501],
  ArgumentException: ["SystemException", 0x80070057],
  ArgumentOutOfRangeException: ["ArgumentException", 0x80131502],
  DivideByZeroException: ["SystemException", 0x80020012],
  FormatException: ["SystemException", 0x80131537],
  UriFormatException: ["FormatException"],
  IndexOutOfRangeException: ["SystemException", 0x80131508],
  InvalidCastException: ["SystemException", 0x80004002],
  InvalidOperationException: ["SystemException", 0x80131509],
  OverflowException: ["SystemException", 0x80131516],
  UnauthorizedAccessException: ["SystemException", 0x80070005],
  "IO.IOException": ["SystemException", 0x80131620],
  "IO.FileNotFoundException": ["IO.IOException", 0x80070002],
  "IO.DirectoryNotFoundException": ["IO.IOException", 0x80070003],
  "ComponentModel.Win32Exception": ["SystemException", 0x80004005],
  "Net.Sockets.SocketException": ["ComponentModel.Win32Exception"],
};

/** PowerShell's exceptions, below System.Management.Automation, grouped by base. */
const automation: Readonly<Record<string, readonly string[]>> = {
  "System.SystemException": ["RuntimeException"],
  "System.InvalidCastException": ["PSInvalidCastException"],
  "System.ArgumentException": ["PSArgumentException"],
  RuntimeException: [
    ...["CommandNotFoundException", "ParseException", "MethodException", "GetValueException"],
    ...["ParameterBindingException", "MetadataException", "SessionStateException"],
    ...["PropertyNotFoundException", "ExtendedTypeSystemException"],
  ],
  MethodException: ["MethodInvocationException"],
  GetValueException: ["GetValueInvocationException"],
  ParameterBindingException: [
    "ParameterBindingValidationException",
    "ParameterBindingArgumentTransformationException",
  ],
  MetadataException: ["ValidationMetadataException", "ArgumentTransformationMetadataException"],
  SessionStateException: ["ItemNotFoundException"],
};

/** What is wrong with an argument has a cause that is not modelled. */
function innerOf(self: NetException): NetException | null {
  if (/ParameterBinding\w*Exception$/.test(self.type.name)) {
    throw new Unsupported(`the inner exception of [${self.type.name}]`);
  }
  return self.cause;
}

function define(name: string, base: string, hresult?: number): void {
  const make = (message: string | null) =>
    new NetException(type, message ?? `Exception of type '${name}' was thrown.`);
  const constructors = { "(string)": make };
  const type: NetType = types.define({ name, base, constructors });
  type.hresult = hresult === undefined ? undefined : hresult | 0;
}

for (const [name, [base, hresult]] of Object.entries(exceptions)) {
  define(`System.${name}`, `System.${base}`, hresult);
}
for (const [base, names] of Object.entries(automation)) {
  const prefix = "System.Management.Automation.";
  names.forEach((name) => {
    define(prefix + name, base.includes(".") ? base : prefix + base);
  });
}
types.extend("System.Exception", {
  properties: {
    Message: (self: NetException) => self.words,
    InnerException: (self: NetException) => innerOf(self),
    Data: (self: NetException) => self.data,
    HResult: (self: NetException) => self.hresult,
  },
  methods: {
    "GetBaseException()": (self: NetException) => (innerOf(self), self.root),
    "ToString()": toText,
  },
});

/** .NET Framework names the parameter on a second line of the message. */
export function badArgument(message: string, parameter: string, type = ""): Raised {
  const name = `System.Argument${type}Exception`;
  return raised(name, `${message}\r\nParameter name: ${parameter}`);
}

export function badFormat(message = "Input string was not in a correct format."): Raised {
  return raised("System.FormatException", message);
}

types.extend(errorRecord, {
  properties: {
    Exception: (self: ErrorRecord) => self.exception,
    FullyQualifiedErrorId: (self: ErrorRecord) => self.id,
    // Only the first line, and without the function's name.
    ScriptStackTrace: ({ position }: ErrorRecord) =>
      `at <ScriptBlock>, ${position ? fileOf(position).path : "<No file>"}: line ${String(position ? lineOf(position) : 1)}`,
  },
  methods: { "ToString()": toText },
});
