/** Whole steps as a real PowerShell ran them, with stand-ins for Windows' cmdlets, and as the interpreter runs them. */
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ItemProvider } from "../../../../rehearsal/powershell/cmdlets/items.ts";
import { cmdlets, type Shell } from "../../../../rehearsal/powershell/commands.ts";
import { newInterpreter } from "../../../../rehearsal/powershell/new-interpreter.ts";
import { shown } from "../../../../rehearsal/powershell/cmdlets/objects.ts";
import * as is from "../../../../rehearsal/powershell/types.ts";
import { raised, types as coreTypes, Types } from "../../../../rehearsal/powershell/types.ts";
import { parse } from "../../../../rehearsal/powershell/parser.ts";
import {
  CustomObject,
  ErrorRecord,
  ScriptBlock,
  Unsupported,
} from "../../../../rehearsal/powershell/values.ts";
import { nodeHost } from "./node-machine.ts";
import { layOutSteps, normalised } from "./recorded-files.ts";
import { defineRecordedMembers } from "./recorded-members.ts";
import { fileItems } from "../../../../rehearsal/windows/file-items.ts";
import { windowsFiles } from "../../../../rehearsal/windows/drives.ts";
import { windowsEnvironment } from "../../../../rehearsal/windows/environment.ts";
import { defineMachineTypes } from "../../../../rehearsal/windows/machine-types.ts";
import {
  defineRegistryTypes,
  machineVariables,
  registryCmdlets,
  RegistryItems,
  RegistryKey,
} from "../../../../rehearsal/windows/registry.ts";
import { defineSecurityTypes } from "../../../../rehearsal/windows/security.ts";

/** Commands that the recordings use and the project's scripts do not. */
const standIns = cmdlets(
  {
    "Add-Member [-InputObject <object>] [-MemberType {ScriptMethod | NoteProperty}] [-Name <string>] [-Value <object>] [-Force]"(
      call,
    ) {
      const object = call.get("InputObject");
      if (object instanceof CustomObject) {
        object.set(call.text("Name") ?? "", call.get("Value") ?? null);
      }
    },
    "Write-Error [[-Message] <string>] [-Exception <object>] [-Category <string>]"(call) {
      const type = call.shell.types.get("Microsoft.PowerShell.Commands.WriteErrorException");
      const error = raised(type, call.text("Message") ?? "");
      error.record = new ErrorRecord(is.errorRecord, error.exception, type.name, call.position);
      return call.fail(error);
    },
    "Set-Variable [-Name <string>] [-Scope <int>] [-Value <object>]"(call) {
      const value = call.get("Value") ?? null;
      const scope = call.number("Scope") === 1 ? (call.scope.parent ?? call.scope) : call.scope;
      scope.setVariable(call.text("Name") ?? "", value);
    },
    "Set-Alias [-Name <string>] [-Value <string>]"(call) {
      const func = call.scope.findFunction(call.text("Value") ?? "");
      if (func) {
        call.scope.setFunction(call.text("Name") ?? "", func);
      }
    },
    // The recordings run the text of a task by it.
    "Invoke-Expression [[-Command] <string>]"(call) {
      const body = parse({ path: "<expression>", text: call.text("Command") ?? "" });
      const script = new ScriptBlock(is.scriptBlock, body);
      return call.shell.invoke(script, {}, (value) => call.emit(value));
    },
  },
  "Microsoft.PowerShell.Commands",
);

/** What the recordings ask of the drives of variables. */
function nameItems(drive: string, shell: Shell): ItemProvider | undefined {
  const isVariable = drive === "variable";
  if (!isVariable && drive !== "env") return undefined;
  const { environment } = shell.host;
  const nameOf = (path: string) => path.replace(/^\w+:\\?/, "");
  const refuse = () => {
    throw new Unsupported("anything but Test-Path of a variable");
  };
  return {
    separator: "\\",
    resolve: (path) => path,
    find: (path) => {
      const value = isVariable ? shell.variable(nameOf(path)) : environment.get(nameOf(path));
      const flags = { isContainer: false, isHidden: false, isLink: false };
      return value === undefined ? undefined : { path, name: path, ...flags, value: refuse };
    },
    remove: ({ path }) => environment.set(nameOf(path), undefined),
    children: refuse,
    make: refuse,
    copy: refuse,
    read: refuse,
  };
}

/** Runs a recorded step. Returns what it wrote, with what differs by nature replaced. */
export async function runTrace(trace: string, recordings: string, steps: string): Promise<string> {
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "traces-")));
  try {
    const laid = layOutSteps(steps, recordings, root);
    const drive = join(root, "c");
    for (const folder of ["Windows/System32/drivers/etc", "Windows/Temp", "ProgramData"]) {
      fs.mkdirSync(join(drive, folder), { recursive: true });
    }
    return normalised(await runOn(drive, trace, laid));
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}

async function runOn(drive: string, trace: string, steps: string): Promise<string> {
  let output = "";
  const input = trace.replace(/\.ps1$/, ".stdin");
  const disk = nodeHost({
    output: (text) => void (output += text),
    error: () => undefined,
    input: () => Promise.resolve(fs.existsSync(input) ? fs.readFileSync(input) : Buffer.alloc(0)),
  });
  const variables = {
    SystemRoot: "C:\\windows",
    SystemDrive: "C:",
    windir: "C:\\windows",
    ProgramData: "C:\\ProgramData",
    ProgramFiles: "C:\\Program Files",
    TEMP: "C:\\Windows\\Temp",
    USERNAME: "Administrator",
    COMPUTERNAME: "MACHINE",
    Path: "C:\\Windows\\system32;C:\\Windows",
  };
  const registry = new RegistryKey("HKEY_LOCAL_MACHINE");
  const machine = machineVariables(registry);
  machine.set("Path", "C:\\windows\\system32;C:\\windows");
  const host = {
    ...disk,
    files: windowsFiles(new Map(Object.entries({ C: drive, Z: "/" })), disk.files, {
      changing: () => Promise.resolve(),
      isInUse: () => Promise.resolve(false),
      isLocked: () => false,
      moved: () => Promise.resolve(),
      isPipeServed: () => Promise.resolve(false),
    }),
    environment: windowsEnvironment(variables, machine),
    programs: { ...disk.programs, find: () => undefined },
    computerName: "MACHINE",
  };
  const types = new Types(coreTypes);
  defineRegistryTypes(types);
  defineSecurityTypes(types, { name: "MACHINE\\Administrator", isAdministrator: true });
  types.define({
    name: "Microsoft.PowerShell.Commands.WriteErrorException",
    base: "System.SystemException",
  });
  const service = () => {
    throw new Unsupported("a service of Windows");
  };
  types.define({
    name: "System.ServiceProcess.ServiceController",
    methods: { "Refresh()": service, "Start()": service, "Stop()": service },
  });
  types.define({
    name: "System.Net.Sockets.TcpClient",
    constructors: { "()": service },
    methods: { "ConnectAsync(string, int)": service, "Dispose()": service },
  });
  const items = new RegistryItems(registry, types);
  const names = registry.make("SYSTEM\\CurrentControlSet\\Control\\ComputerName");
  for (const name of ["ComputerName", "ActiveComputerName"]) {
    names.make(name).set("ComputerName", "MACHINE", "String");
  }
  const version = registry.make("SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion");
  version.set("CurrentBuildNumber", "18362", "String");
  version.set("ProductName", "Microsoft Windows 10", "String");
  registry.make("SOFTWARE\\Microsoft\\Windows\\CurrentVersion");
  const interpreter = newInterpreter(host, {
    types,
    providers: (name, shell) =>
      name === "" ? fileItems(host.files, types) : name === "hklm" ? items : nameItems(name, shell),
    mayCall: () => true,
    cmdlets: [...standIns, ...registryCmdlets(items)],
  });
  defineMachineTypes(types, host);
  defineRecordedMembers(types, host);
  const onZ = (path: string) => `Z:${path.replaceAll("/", "\\")}`;
  try {
    await interpreter.runFile(onZ(trace), ["-Steps", onZ(steps)], (value) => {
      output += shown(value);
      return Promise.resolve();
    });
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    output += `REFUSED ${error.message}\n`;
  }
  return output;
}
