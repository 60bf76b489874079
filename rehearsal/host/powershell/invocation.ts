/** A powershell.exe command line that starts nothing; `message` goes to stderr. */
export class InvocationError extends Error {
  override readonly name = "InvocationError";

  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}

/** `powershell.exe ... -File script args...`. */
export interface ScriptInvocation {
  /** As given on the command line. */
  readonly script: string;
  readonly args: readonly string[];
}

/** Options of powershell.exe 5.1 and whether a value follows; any prefix that starts one of them will do. */
const options: readonly (readonly [name: string, takes: "nothing" | "value"])[] = [
  ["noprofile", "nothing"],
  ["noninteractive", "nothing"],
  ["nologo", "nothing"],
  ["noexit", "nothing"],
  ["sta", "nothing"],
  ["mta", "nothing"],
  ["executionpolicy", "value"],
  ["ep", "value"],
  ["windowstyle", "value"],
  ["inputformat", "value"],
  ["outputformat", "value"],
  ["version", "value"],
  ["configurationname", "value"],
  ["psconsolefile", "value"],
];

/** Default and Undefined are RemoteSigned on Windows Server; a copied script is a local one. */
const policies = ["bypass", "unrestricted", "remotesigned", "default", "undefined"];
const restrictive = ["allsigned", "restricted"];

const noPowerShell =
  "This is the kindows rehearsal host: it has no PowerShell and runs only the step scripts, started with " +
  "powershell.exe -File C:\\...\\<Step>.ps1.";

/** Reads the arguments of powershell.exe; anything but `-File` is an InvocationError that says why. */
export function parseInvocation(args: readonly string[]): ScriptInvocation {
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? "";
    if (!/^[-/]/.test(argument)) break; // powershell.exe takes it for a command
    const name = argument.slice(1).toLowerCase();
    if (name !== "" && "file".startsWith(name)) return scriptOf(args.slice(index + 1));
    const option = options.find(([candidate]) => name !== "" && candidate.startsWith(name));
    if (!option) break; // -Command, -EncodedCommand, or nonsense
    if (option[1] === "nothing") continue;
    const value = args[++index];
    if (value === undefined) {
      throw new InvocationError(`The -${option[0]} parameter requires an argument.`, 1);
    }
    if (option[0] === "executionpolicy" || option[0] === "ep") checkPolicy(value);
  }
  throw new InvocationError(noPowerShell, 1);
}

function scriptOf(rest: readonly string[]): ScriptInvocation {
  const [script, ...args] = rest;
  if (script === undefined) {
    throw new InvocationError("The -File parameter requires a file path argument.", 1);
  }
  if (!script.toLowerCase().endsWith(".ps1")) {
    throw new InvocationError(
      `Processing -File '${script}' failed because the file does not have a '.ps1' extension. Specify a valid Windows PowerShell script file name, and then try again.`,
      0xfffd0000, // what powershell.exe ends with when it can't use the file
    );
  }
  return { script, args };
}

function checkPolicy(value: string): void {
  const policy = value.toLowerCase();
  if (policies.includes(policy)) return;
  if (restrictive.includes(policy)) {
    throw new InvocationError(
      `The step scripts are not signed and cannot be loaded under the execution policy ${value}. Use -ExecutionPolicy Bypass.`,
      1,
    );
  }
  throw new InvocationError(
    `Cannot convert value "${value}" to type "Microsoft.PowerShell.ExecutionPolicy".`,
    1,
  );
}
