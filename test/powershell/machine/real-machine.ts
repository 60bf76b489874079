/**
 * Runs a modelled machine's scripts on a real PowerShell: Windows' own build, under Wine. Drive C: of its prefix is the
 * machine's folder, HKLM: a branch of its registry that is kept the same as the model's; everything else that is
 * Windows' it asks the model for (Bridge.cs).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import { createServer, type Socket } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";

import { objectCmdlets } from "../../../powershell/cmdlets/objects.ts";
import { Call, type Cmdlet, type Emit } from "../../../powershell/commands.ts";
import { terminating } from "../../../powershell/errors.ts";
import {
  callMethod,
  callStatic,
  construct,
  getProperty,
  getStatic,
} from "../../../powershell/members.ts";
import { toItems, toText } from "../../../powershell/convert.ts";
import { Scope } from "../../../powershell/scope.ts";
import * as is from "../../../powershell/types.ts";
import { NetObject, nothing, Raised, Unsupported, type Value } from "../../../powershell/values.ts";
import { localFolder } from "../../../toolchain/project.ts";
import { hostNetworkType } from "../../../rehearsal/windows/host-networks.ts";
import { isMachineFile } from "../../../rehearsal/windows/hyper-v.ts";
import {
  type ModelledShell,
  type ScriptRunner,
  scriptRunner,
  windowsCmdlets,
} from "../../../rehearsal/windows/powershell.ts";
import {
  RegistryItems,
  type RegistryJson,
  type RegistryKey,
  registryCmdlets,
} from "../../../rehearsal/windows/registry.ts";
import type { ScriptMachine } from "../../../rehearsal/windows/machine-types.ts";
import type { WindowsHost } from "../../../rehearsal/host/windows-host.ts";
import { csharp } from "./csharp.ts";
import { type Json, Wire } from "./wire.ts";

const position = { file: 0, start: 0, end: 0 };
const folder = path.join(localFolder, "powershell");

type Message = Readonly<Record<string, Json>>;

/** Cmdlets that a real PowerShell has, and that need nothing of the machine but its drive and its registry. */
const real = new Set(registryCmdlets(undefined as never).map(({ name }) => name));
const sleep = objectCmdlets.filter(({ name }) => name === "Start-Sleep");

/** A real PowerShell with a Wine prefix of its own. Runs one script at a time. */
class RealPowerShell {
  #lines: AsyncIterator<string>;

  private constructor(
    readonly prefix: string,
    private readonly process: ChildProcess,
    private readonly socket: Socket,
  ) {
    this.#lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  }

  static async start(source: string, prefix: string): Promise<RealPowerShell> {
    const hash = createHash("sha256").update(source).digest("hex").slice(0, 16);
    const file = path.resolve(folder, `bridge-${hash}.cs`);
    fs.writeFileSync(file, source);
    const onZ = (name: string): string => `Z:${name.replaceAll("/", "\\")}`;
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    // Standard error is a terminal's, which nothing here reads.
    const script = path.join(import.meta.dirname, "Bridge.ps1");
    const child = spawn(
      "pwsh-wine",
      ["-NoProfile", "-NonInteractive", "-File", onZ(script), String(port), onZ(file)],
      {
        env: { ...environment, WINEPREFIX: prefix },
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      },
    );
    let said = "";
    const note = (data: Buffer): void => void (said = (said + data.toString()).slice(-4000));
    child.stdout.on("data", note);
    child.stderr.on("data", note);
    const ended = once(child, "exit").then(() => {
      throw new Error(`the real PowerShell ended: ${said}`);
    });
    ended.catch(() => undefined);
    const [socket] = (await Promise.race([once(server, "connection"), ended])) as [Socket];
    server.close();
    socket.unref();
    child.unref();
    (child.stdout as unknown as Socket).unref();
    (child.stderr as unknown as Socket).unref();
    socket.on("error", () => undefined);
    return new RealPowerShell(prefix, child, socket);
  }

  send(message: Message): void {
    this.socket.write(`${JSON.stringify(message)}\n`);
  }

  async next(): Promise<Message> {
    this.socket.ref();
    const line = await this.#lines.next();
    this.socket.unref();
    if (line.done === true) throw new Error("the real PowerShell has ended");
    return JSON.parse(line.value) as Message;
  }

  end(): void {
    this.socket.destroy();
    try {
      if (this.process.pid !== undefined) process.kill(-this.process.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
    fs.rmSync(this.prefix, { recursive: true, force: true });
  }
}

/** Windows' own folder, which Wine needs on drive C: wherever that is. */
function lendWindows(prefix: string, drive: string): void {
  const link = (from: string, into: string, but: string): void => {
    fs.mkdirSync(into, { recursive: true });
    for (const name of fs.readdirSync(from)) {
      const target = path.join(into, name);
      if (name.toLowerCase() !== but && !fs.existsSync(target))
        fs.symlinkSync(path.join(from, name), target);
    }
  };
  const own = fs.readdirSync(drive).find((name) => name.toLowerCase() === "windows") ?? "Windows";
  const windows = path.join(drive, own);
  fs.mkdirSync(windows, { recursive: true });
  const system =
    fs.readdirSync(windows).find((name) => name.toLowerCase() === "system32") ?? "System32";
  const from = path.join(prefix, "drive_c/windows");
  link(path.join(from, "system32"), path.join(windows, system), "drivers");
  link(from, windows, "system32");
}

/** The scripts of steps on a drive, as Windows names them. */
function watchedScripts(drive: string): string[] {
  if (coverageFile === undefined) return [];
  const root = path.join(drive, "kindows/steps");
  if (!fs.existsSync(root)) return [];
  return fs
    .readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ps1") && !name.endsWith("run-text.ps1"))
    .map((name) => `C:\\kindows\\steps\\${name.replaceAll("/", "\\")}`);
}

/** Where the statements that were run are kept, by script. */
const coverageFile = process.env["KINDOWS_REAL_COVERAGE"];
const coverage = new Map<string, { all: Set<string>; run: Set<string> }>();

function note(what: "statements" | "covered", file: string, places: readonly string[]): void {
  const name = file.replace(/^.*\\steps\\[^\\]*\\/, "").replaceAll("\\", "/");
  const known = coverage.get(name) ?? { all: new Set(), run: new Set() };
  coverage.set(name, known);
  for (const each of places) known[what === "statements" ? "all" : "run"].add(each);
  if (coverageFile === undefined) return;
  const list = [...coverage].map(([script, { all, run }]) => [
    script,
    all.size,
    [...all].filter((each) => !run.has(each)),
  ]);
  fs.writeFileSync(coverageFile, JSON.stringify(list));
}

const idle: RealPowerShell[] = [];
const all: RealPowerShell[] = [];

/** Ends every real PowerShell of this process. */
export function endAll(): void {
  all.splice(0).forEach((each) => each.end());
  idle.length = 0;
}

async function take(source: string): Promise<RealPowerShell> {
  const free = idle.pop();
  if (free) return free;
  const prefix = newPrefix();
  const made = await RealPowerShell.start(source, prefix);
  all.push(made);
  return made;
}

// The tests have another environment.
const environment = { ...process.env, NO_COLOR: "1" };
const template = process.env["KINDOWS_WINE_PREFIX"] ?? "";

/** A copy of one prefix, whose Windows it shares. */
function newPrefix(): string {
  fs.mkdirSync(folder, { recursive: true });
  const made = fs.mkdtempSync(path.join(folder, "prefix-"));
  for (const name of ["system.reg", "user.reg", "userdef.reg", ".update-timestamp"]) {
    fs.copyFileSync(path.join(template, name), path.join(made, name));
  }
  fs.symlinkSync(path.join(template, "drive_c"), path.join(made, "drive_c"));
  fs.mkdirSync(path.join(made, "dosdevices"));
  fs.symlinkSync("../drive_c", path.join(made, "dosdevices/c:"));
  fs.symlinkSync("/", path.join(made, "dosdevices/z:"));
  return made;
}

let library: string | undefined;

/** The same for all machines: their cmdlets and types differ in what they do. */
function source(model: ModelledShell): string {
  library ??= (() => {
    const { interpreter, machine } = model;
    // A machine with everything that can be installed, whose cmdlets are only read here.
    const features = { Containers: "Installed" };
    const full = { ...machine.state, features, hyperV: { module: true } };
    const everything = Object.create(machine, { state: { value: full } }) as WindowsHost;
    const items = new RegistryItems(machine.registry, interpreter.types);
    const every = windowsCmdlets(everything, items, () => Promise.resolve());
    hostNetworkType(
      interpreter.types,
      machine,
      () => Promise.resolve(),
      "Kindows.HostNetworkingService",
    );
    const cmdlets = [...every, ...sleep].filter(({ name }) => !real.has(name));
    const bridge = fs.readFileSync(path.join(import.meta.dirname, "Bridge.cs"), "utf8");
    return `${bridge}\n${csharp(cmdlets, interpreter.types)}`;
  })();
  return library;
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

class Aborted extends Error {}

/** Serves one run of a script. */
class Run implements ScriptRunner {
  readonly #wire: Wire;
  readonly #cmdlets: ReadonlyMap<string, Cmdlet>;
  readonly #host: ScriptMachine;
  #registry = "";
  #failure: unknown;

  constructor(private readonly model: ModelledShell) {
    this.#wire = new Wire(model.interpreter.types);
    this.#host = model.interpreter.host as ScriptMachine;
    const cmdlets = [...model.cmdlets, ...sleep].filter(({ name }) => !real.has(name));
    this.#cmdlets = new Map(cmdlets.map((each) => [each.name, each]));
  }

  runFile(file: string, args: readonly string[], emit: Emit): Promise<number> {
    // As powershell.exe -File takes them.
    const words = args.map((each) => {
      const [, name, text] = /^-([A-Za-z_]\w*)(?::(.*))?$/s.exec(each) ?? [];
      if (name === undefined) return quote(each);
      return text === undefined
        ? `-${name}`
        : `-${name}:${/^\$(true|false)$/i.test(text) ? text : quote(text)}`;
    });
    return this.#run(`& ${quote(file)} ${words.join(" ")}`, emit);
  }

  runCommand(text: string, emit: Emit): Promise<number> {
    return this.#run(text, emit);
  }

  async #run(text: string, emit: Emit): Promise<number> {
    const { machine } = this.model;
    const shell = await take(source(this.model));
    lendWindows(shell.prefix, machine.drive.root);
    const link = path.join(shell.prefix, "dosdevices/c:");
    fs.rmSync(link);
    fs.symlinkSync(fs.realpathSync(machine.drive.root), link);
    const environment = { table: [...this.#host.environment.all()] };
    const settings: Json = [
      ["Text", text],
      ["Environment", environment],
      ["Version", machine.version.powerShell],
      ["Watch", { list: watchedScripts(machine.drive.root), of: "System.String" }],
      ["Cmdlets", { list: [...this.#cmdlets.keys()], of: "System.String" }],
    ];
    shell.send({
      run: { table: settings },
      registry: this.#registryNow(),
      held: await this.#held(),
    });
    try {
      for (;;) {
        const message = await shell.next();
        if (message["tell"] !== undefined) await this.#told(message, emit);
        else if (message["ask"] === "ended") {
          this.#takeOver(message);
          shell.send({});
          idle.push(shell);
          if (this.#failure !== undefined) throw this.#failure as Error;
          return message["code"] as number;
        } else shell.send(await this.#answer(message));
      }
    } catch (error) {
      if (!idle.includes(shell)) shell.end();
      throw error instanceof Aborted ? this.#failure : error;
    }
  }

  async #told({ tell, value = null }: Message, emit: Emit): Promise<void> {
    try {
      if (tell === "statements" || tell === "covered") {
        const [file = "", ...places] = toItems(this.#wire.decode(value)).map(toText);
        note(tell, file, places);
        return;
      }
      if (tell === "out") this.#host.output(value as string);
      if (tell === "error") this.#host.error(value as string);
      if (tell === "emit") await emit(this.#wire.decode(value));
    } catch (error) {
      this.#failure ??= error;
    }
  }

  #registryNow(): Json {
    const { registry } = this.model.machine;
    this.#registry = canonical(registry.toJSON());
    return JSON.parse(this.#registry) as Json;
  }

  /** What the script itself has changed. */
  #takeOver({ registry, environment }: Message): void {
    if (registry !== undefined && canonical(registry as RegistryJson) !== this.#registry) {
      this.#registry = canonical(registry as RegistryJson);
      replace(this.model.machine.registry, registry as RegistryJson);
      void this.model.machine.save();
    }
    for (const [name, value] of Object.entries((environment ?? {}) as Record<string, string>)) {
      this.#host.environment.set(name, value);
    }
    for (const name of [...this.#host.environment.all().keys()]) {
      const left = Object.keys((environment ?? {}) as object).map((each) => each.toLowerCase());
      if (environment !== undefined && !left.includes(name.toLowerCase())) {
        this.#host.environment.set(name, undefined);
      }
    }
  }

  async #answer(message: Message): Promise<Message> {
    this.#takeOver(message);
    let answer: Message;
    try {
      answer =
        message["ask"] === "cmdlet" ? await this.#cmdlet(message) : await this.#member(message);
    } catch (error) {
      if (!(error instanceof Raised)) {
        // The script must not go on.
        this.#failure = error;
        throw new Aborted();
      }
      answer = { error: this.#wire.error(error) };
    }
    const isChanged = canonical(this.model.machine.registry.toJSON()) !== this.#registry;
    const registry: Message = isChanged ? { registry: this.#registryNow() } : {};
    return { events: [], ...answer, ...registry, held: await this.#held() };
  }

  async #cmdlet({ name, values, errorAction }: Message): Promise<Message> {
    const cmdlet = this.#cmdlets.get(name as string);
    if (!cmdlet?.run) throw new Unsupported(`the cmdlet ${name as string} on a real PowerShell`);
    const { interpreter } = this.model;
    const scope = new Scope();
    scope.setVariable("ErrorActionPreference", errorAction as string);
    const given = Object.entries(values as Record<string, Json>).map(
      ([parameter, value]) => [parameter.toLowerCase(), this.#wire.decode(value)] as const,
    );
    const events: Json[] = [];
    const wire = this.#wire;
    const call = new (class extends Call {
      override fail(error: Raised): Promise<void> {
        if (/^stop$/i.test(errorAction as string)) throw terminating(error);
        events.push({ error: wire.error(error) });
        return Promise.resolve();
      }
    })(
      cmdlet,
      new Map(given),
      {
        command: { position } as never,
        args: [],
        scope,
        emit: (value) => void events.push({ output: wire.encode(value) }),
        piped: false,
        stop: () => {
          throw new Unsupported("stopping a pipeline of a real PowerShell");
        },
      },
      interpreter,
    );
    try {
      await cmdlet.run(call);
    } catch (error) {
      if (!(error instanceof Raised)) throw error;
      return { events, error: wire.error(error) };
    }
    return { events };
  }

  async #member({ ask, type, self = null, member, arguments: given }: Message): Promise<Message> {
    if (ask === "input") return { value: (await this.#host.input()).toString("base64") };
    const { types } = this.model.interpreter;
    const wire = this.#wire;
    const value = wire.decode(self);
    const name = member as string;
    const args = ((given ?? []) as Json[]).map((each) => wire.decode(each));
    if (ask === "text") return { value: toText(value) };
    if (ask === "get") return { value: wire.encode((await getProperty(value, name)) ?? null) };
    if (ask === "method") {
      const refuse = (): never => {
        throw new Unsupported("a script block of a real PowerShell");
      };
      return { value: wire.encode(await callMethod(value, name, args, types, refuse)) };
    }
    const of = types.get(type as string);
    if (ask === "new") return { value: wire.encode(await construct(of, args, types)) };
    if (ask === "getStatic") return { value: wire.encode(await getStatic(of, name)) };
    let referred: Value = null;
    const isReference = (of.staticOverloads(name.toLowerCase())[0]?.parameters ?? []).map(
      (each) => each === "ref",
    );
    const reference = new NetObject(is.reference, {
      get: () => referred,
      set: (to: Value) => void (referred = to),
    });
    const passed = args.map((each, at) => (isReference[at] ? reference : each));
    const result = await callStatic(of, name, passed, types);
    return { value: wire.encode(result ?? nothing), reference: wire.encode(referred) };
  }

  /** Files that other programs have open, with what they allow meanwhile (FileShare). */
  async #held(): Promise<Json> {
    const { machine } = this.model;
    const { hyperV } = machine.state;
    const files: Record<string, number> = {};
    for (const each of machine.runningPrograms) files[each] = 1;
    for (const name of machine.services.names()) {
      if (await machine.services.isRunning(name)) {
        const [, quoted, bare] =
          /^(?:"([^"]+)"|(\S+))/.exec(machine.services.get(name)?.commandLine ?? "") ?? [];
        files[quoted ?? bare ?? ""] = 1;
      }
    }
    for (const each of hyperV?.machines ?? []) {
      for (const disk of [each.disk, ...each.discs]) {
        if (disk !== "" && isMachineFile(hyperV as never, disk)) files[disk] = 1;
      }
    }
    for (const each of machine.openFiles) files[each] = 1;
    for (const each of machine.lockedFiles) files[each] = 0;
    return files;
  }
}

function canonical(registry: RegistryJson): string {
  const sorted = <T>(object: Readonly<Record<string, T>>): [string, T][] =>
    Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1));
  const keys = sorted(registry).map(([name, values]) => [
    name,
    Object.fromEntries(sorted(values).map(([each, { kind, data }]) => [each, { kind, data }])),
  ]);
  return JSON.stringify(Object.fromEntries(keys));
}

/** Gives a registry this content, and leaves its keys the same objects. */
function replace(root: RegistryKey, json: RegistryJson): void {
  const wanted = new Set(Object.keys(json).map((each) => each.toLowerCase()));
  for (const name of Object.keys(root.toJSON())) {
    if (!wanted.has(name.toLowerCase())) root.remove(name);
    else root.find(name)?.values.clear();
  }
  root.load(json);
}

/** From now on this process runs machines' scripts on a real PowerShell. */
export function useRealPowerShell(): void {
  scriptRunner.of = (model) => new Run(model);
}
