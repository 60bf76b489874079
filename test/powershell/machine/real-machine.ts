/**
 * Runs a modelled machine's scripts on a real PowerShell: Windows' own build, under Wine. Drive C: of its prefix is the
 * machine's folder, HKLM: a branch of its registry that is kept the same as the model's; everything else that is
 * Windows' it asks the model for (Bridge.cs).
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import { once } from "node:events";
import fs from "node:fs";
import { createServer, type Socket } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";

import { objectCmdlets } from "../../../rehearsal/powershell/cmdlets/objects.ts";
import { Call, type Cmdlet, type Emit } from "../../../rehearsal/powershell/commands.ts";
import { terminating } from "../../../rehearsal/powershell/errors.ts";
import {
  callMethod,
  callStatic,
  construct,
  getProperty,
  getStatic,
} from "../../../rehearsal/powershell/members.ts";
import { toText } from "../../../rehearsal/powershell/convert.ts";
import { Scope } from "../../../rehearsal/powershell/scope.ts";
import * as is from "../../../rehearsal/powershell/types.ts";
import {
  NetObject,
  Raised,
  Unsupported,
  type Value,
} from "../../../rehearsal/powershell/values.ts";
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
import type { WindowsMachine } from "../../../rehearsal/machine/windows-machine.ts";
import { csharp } from "./csharp.ts";
import { type Json, Wire } from "./wire.ts";

const position = { file: 0, start: 0, end: 0 };
const folder = path.join(localFolder, "powershell");

type Message = Readonly<Record<string, Json>>;

/** Cmdlets that a real PowerShell has, and that need nothing of the machine but its drive and its registry. */
const real = new Set(registryCmdlets(undefined as never).map(({ name }) => name));
/** Its aliases a real PowerShell has, too. */
const isAsked = ({ name }: Cmdlet): boolean => !real.has(name) && name.includes("-");
const sleep = objectCmdlets.filter(({ name }) => name === "Start-Sleep");

const onZ = (name: string): string => `Z:${name.replaceAll("/", "\\")}`;

/** A real PowerShell with a Wine prefix of its own. Runs one script at a time. */
class RealPowerShell {
  #lines: AsyncIterator<string>;

  private constructor(
    readonly prefix: string,
    private readonly process: ChildProcess,
    private readonly socket: Socket,
    private readonly ended: Promise<never>,
  ) {
    this.#lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  }

  static async start(source: string, prefix: string): Promise<RealPowerShell> {
    const hash = createHash("sha256").update(source).digest("hex").slice(0, 16);
    const file = path.resolve(folder, `bridge-${hash}.cs`);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(file, source);
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
    // The first lines say why, the others where.
    const note = (data: Buffer): void => void (said = (said + data.toString()).slice(0, 4000));
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
    return new RealPowerShell(prefix, child, socket, ended);
  }

  /** Makes a folder its drive C:. */
  drive(folder: string): void {
    const link = path.join(this.prefix, "dosdevices/c:");
    fs.rmSync(link, { force: true });
    fs.symlinkSync(folder, link);
  }

  /** A script with this text, as PowerShell names it. */
  scriptOf(text: string): string {
    const file = path.join(this.prefix, "command.ps1");
    fs.writeFileSync(file, `\ufeff${text}`);
    return onZ(file);
  }

  send(message: Message): void {
    this.socket.write(`${JSON.stringify(message)}\n`);
  }

  async next(): Promise<Message> {
    this.socket.ref();
    const line = await this.#lines.next();
    this.socket.unref();
    if (line.done === true) return this.ended;
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

/** A script and those beside it, where statements are counted. */
async function watchedScripts(
  { drive }: WindowsMachine,
  file: string | undefined,
): Promise<string[]> {
  if (!statements.hasSubscribers || file === undefined) return [];
  const folder = file.replace(/\\[^\\]*$/, "");
  return fs
    .readdirSync(await drive.resolve(folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ps1"))
    .map((name) => `${folder}\\${name.replaceAll("/", "\\")}`);
}

/** Where the interpreter, too, says what it runs. */
const statements = channel("powershell.statements");

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
// It must not write to the machine's drive by itself.
const environment = { ...process.env, NO_COLOR: "1", PSModuleAnalysisCachePath: "NUL" };
const template = process.env["KINDOWS_WINE_PREFIX"] ?? "";

/** A copy of one prefix, whose Windows it shares. */
function newPrefix(): string {
  const made = fs.mkdtempSync(path.join(path.dirname(template), "prefix-"));
  for (const name of ["system.reg", "user.reg", "userdef.reg", ".update-timestamp"]) {
    fs.copyFileSync(path.join(template, name), path.join(made, name));
  }
  fs.mkdirSync(path.join(made, "dosdevices"));
  fs.symlinkSync(path.join(template, "drive_c"), path.join(made, "dosdevices/c:"));
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
    const everything = Object.create(machine, { state: { value: full } }) as WindowsMachine;
    const items = new RegistryItems(machine.registry, interpreter.types);
    const every = windowsCmdlets(everything, items, () => Promise.resolve(), {
      find: () => undefined,
      start: () => assert.fail(),
    });
    hostNetworkType(
      interpreter.types,
      machine,
      () => Promise.resolve(),
      "Kindows.HostNetworkingService",
    );
    const cmdlets = [...every, ...sleep].filter(isAsked);
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
  /** Those that the script holds: one that is killed leaves them. */
  readonly #mutexes = new Set<string>();
  /** Of running programs' files. */
  readonly #inodes = new Map<string, number>();

  constructor(private readonly model: ModelledShell) {
    this.#wire = new Wire(model.interpreter.types);
    this.#host = model.interpreter.host as ScriptMachine;
    const cmdlets = [...model.cmdlets, ...sleep].filter(isAsked);
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
    return this.#run(() => `& ${quote(file)} ${words.join(" ")}`, emit, file);
  }

  runCommand(text: string, emit: Emit): Promise<number> {
    // `exit` in a script of its own does not end PowerShell.
    return this.#run((shell) => `& ${quote(shell.scriptOf(text))}`, emit);
  }

  async #run(call: (shell: RealPowerShell) => string, emit: Emit, file?: string): Promise<number> {
    const { machine } = this.model;
    const shell = await take(source(this.model));
    // Wine finds its own part of Windows elsewhere.
    shell.drive(fs.realpathSync(machine.drive.root));
    try {
      return await this.#runOn(shell, call(shell), emit, file);
    } catch (error) {
      shell.end();
      this.#mutexes.forEach((each) => this.#host.mutexes.leave(each));
      throw error instanceof Aborted ? this.#failure : error;
    }
  }

  async #runOn(
    shell: RealPowerShell,
    text: string,
    emit: Emit,
    file: string | undefined,
  ): Promise<number> {
    const { machine } = this.model;
    const environment = { table: [...this.#host.environment.all()] };
    const settings: Json = [
      ["Text", text],
      ["Environment", environment],
      ["Version", machine.version.powerShell],
      ["Watch", { list: await watchedScripts(machine, file), of: "System.String" }],
      ["Cmdlets", { list: [...this.#cmdlets.keys()], of: "System.String" }],
    ];
    shell.send({
      run: { table: settings },
      registry: this.#registryNow(),
      held: await this.#held(),
    });
    for (;;) {
      const message = await shell.next();
      if (message["tell"] !== undefined) await this.#told(message, emit);
      else if (message["ask"] === "ended") {
        this.#takeOver(message);
        shell.send({});
        if (this.#failure !== undefined) throw new Aborted();
        shell.drive(path.join(template, "drive_c"));
        idle.push(shell);
        return message["code"] as number;
      } else shell.send(await this.#answer(message));
    }
  }

  async #told(message: Message, emit: Emit): Promise<void> {
    const { tell, value = null } = message;
    try {
      if (tell === "run") {
        const { text, starts } = message;
        for (const start of starts as number[]) statements.publish({ text, start });
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
    if (ask === "pipe")
      return { value: await this.model.machine.programs.isPipeServed(member as string) };
    if (ask === "running") {
      const below = (member as string).toLowerCase();
      const running = (await this.#running()).map((each) => each.toLowerCase());
      return { value: running.some((each) => each === below || each.startsWith(`${below}\\`)) };
    }
    // Wine keeps no access control list; the model's drive shows by its mode that a file is closed.
    if (ask === "close") {
      const at = await this.model.machine.drive.resolve(member as string);
      fs.chmodSync(at, fs.statSync(at).isDirectory() ? 0o700 : 0o600);
      return {};
    }
    const value = wire.decode(self);
    const name = member as string;
    const args = ((given ?? []) as Json[]).map((each) => wire.decode(each));
    if (ask === "text") return { value: toText(value) };
    if (ask === "get") return { value: wire.encode((await getProperty(value, name)) ?? null) };
    if (ask === "method") {
      const refuse = (): never => {
        throw new Unsupported("a script block of a real PowerShell");
      };
      const result = await callMethod(value, name, args, types, refuse);
      if (value instanceof NetObject && value.type.name === "System.Threading.Mutex") {
        if (/^WaitOne$/i.test(name) && result === true) this.#mutexes.add(value.state as string);
        if (/^ReleaseMutex$/i.test(name)) this.#mutexes.delete(value.state as string);
      }
      return { value: wire.encode(result) };
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
    return { value: wire.encode(result), reference: wire.encode(referred) };
  }

  /** Files that other programs have open, with what they allow meanwhile (FileShare). */
  async #held(): Promise<Record<string, number>> {
    const { machine } = this.model;
    const { hyperV } = machine.state;
    const files: Record<string, number> = {};
    for (const each of await this.#running()) files[each] = share.read + share.delete;
    for (const each of hyperV?.machines ?? []) {
      for (const disk of [each.disk, ...each.discs]) {
        if (disk !== "" && isMachineFile(hyperV as never, disk)) files[disk] = share.read;
      }
    }
    for (const each of machine.openFiles) files[each] = share.read;
    for (const each of machine.lockedFiles) files[each] = share.none;
    return files;
  }

  /** The files of running programs. A script may have renamed some: they go on under their new names. */
  async #running(): Promise<readonly string[]> {
    const { runningPrograms, services, drive } = this.model.machine;
    const files = new Set(runningPrograms);
    for (const name of services.names()) {
      if (!(await services.isRunning(name))) continue;
      const command = services.get(name)?.commandLine ?? "";
      const [, quoted, bare] = /^(?:"([^"]+)"|(\S+))/.exec(command) ?? [];
      files.add(quoted ?? bare ?? "");
    }
    const inode = (file: string): number | undefined =>
      fs.statSync(file, { throwIfNoEntry: false })?.ino;
    for (const [file, known] of this.#inodes) {
      const folder = await drive.resolve(file.replace(/\\[^\\]*$/, ""));
      if (inode(await drive.resolve(file)) === known || !fs.existsSync(folder)) continue;
      this.#inodes.delete(file);
      const name = fs.readdirSync(folder).find((each) => inode(path.join(folder, each)) === known);
      if (name === undefined || !files.has(file)) continue;
      const moved = file.replace(/[^\\]*$/, name);
      runningPrograms.delete(file);
      runningPrograms.add(moved);
      files.add(moved);
      if (!runningPrograms.has(file)) files.delete(file);
    }
    for (const file of files) {
      const found = inode(await drive.resolve(file));
      if (found !== undefined) this.#inodes.set(file, found);
    }
    return [...files];
  }
}

/** System.IO.FileShare. */
const share = { none: 0, read: 1, delete: 4 };

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
