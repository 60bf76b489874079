/** Runs commands for powershell.exe and netsh.exe under Wine (rehearsal/wine/programs/powershell.c has the messages). */
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { shown } from "../powershell/cmdlets/objects.ts";
import { toText } from "../powershell/convert.ts";
import { CustomObject, Unsupported, type Value } from "../powershell/values.ts";
import { netsh } from "../windows/firewall.ts";
import { ConsoleClosed, windowsPowerShell } from "../windows/powershell.ts";
import { powerShellPort } from "../wine/powershell-port.ts";
import { splitArguments } from "./cmd/arguments.ts";
import { commandOfPowerShell, fileOfPowerShell } from "./cmd/powershell-arguments.ts";
import type { WindowsMachine } from "./windows-machine.ts";

const separator = "\x1f";
const end = "\0";

/** The largest part that powershell.c takes at once. */
const partBytes = 1 << 15;

/** Exit code if a command is none that the interpreter runs. */
const unsupported = 70;

type Stream = "o" | "e" | "x";

/** Sends a part of the output; for the end, with the exit code. */
function send(socket: Socket, stream: Stream, value: Buffer | number): void {
  const isEnd = typeof value === "number";
  const head = Buffer.alloc(5);
  head.write(stream, 0, "latin1");
  head.writeUInt32LE((isEnd ? value : value.length) >>> 0, 1);
  socket.write(isEnd ? head : Buffer.concat([head, value]));
}

function write(socket: Socket, stream: Stream, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += partBytes) {
    send(socket, stream, bytes.subarray(at, at + partBytes));
  }
}

/** The command line, the current folder and the variables of a powershell.exe. */
function parse(message: string): {
  commandLine: string;
  folder: string;
  variables: Record<string, string>;
} {
  const [commandLine = "", folder = "", ...environment] = message.split(separator);
  const variables = environment
    .map((each) => /^([^=]+)=(.*)$/s.exec(each))
    .flatMap((match) => (match ? [[match[1] ?? "", match[2] ?? ""] as const] : []));
  return { commandLine, folder, variables: Object.fromEntries(variables) };
}

/** Whether PowerShell shows an object as a table of one line: no more than four properties, all of them texts. */
function isFlat({ properties, typeNames }: CustomObject): boolean {
  const values = [...properties.values()].map(({ value }) => value);
  const isSelected = typeNames[0]?.startsWith("Selected.") === true;
  return isSelected && values.length <= 4 && values.every((each) => typeof each === "string");
}

function table({ properties }: CustomObject): string {
  const columns = [...properties.values()].map(({ name, value }) => {
    const text = toText(value);
    const width = Math.max(name.length, text.length);
    return [name, "-".repeat(name.length), text].map((each) => each.padEnd(width));
  });
  const lines = [0, 1, 2].map((at) => columns.map((each) => each[at]).join(" "));
  return ["", ...lines, "", "", ""].join("\r\n");
}

async function run(machine: WindowsMachine, message: string, socket: Socket): Promise<number> {
  const { commandLine, folder, variables } = parse(message);
  const closed = new AbortController();
  socket.once("close", () => closed.abort());
  const [program = "", ...words] = splitArguments(commandLine);
  if (/(^|[\\/])netsh(\.exe)?$/i.test(program)) return runNetsh(machine, words, socket);
  const file = fileOfPowerShell(words);
  const command = commandOfPowerShell(words);
  if (file === undefined && command === undefined) {
    const known = "a script by -File or a text by -Command";
    write(socket, "e", `rehearsed: this powershell.exe runs ${known}, not: ${commandLine}\n`);
    return unsupported;
  }
  const output = (text: string): void => write(socket, "o", text);
  const console = {
    ...{ output, error: (text: string) => write(socket, "e", text) },
    ...{ input: () => Promise.resolve(Buffer.alloc(0)), variables, folder, closed: closed.signal },
  };
  try {
    const powerShell = windowsPowerShell(machine, console, () => Promise.resolve());
    const emit = (value: Value): void => {
      if (value instanceof CustomObject && command !== undefined && isFlat(value)) {
        output(table(value));
        return;
      }
      try {
        output(shown(value));
      } catch (error) {
        // What a program's command displays besides its work, e.g. the route that it has made.
        if (!(error instanceof Unsupported) || command === undefined) throw error;
        write(socket, "e", `rehearsed: left out: ${error.message}\n`);
      }
    };
    return await machine.time.busy(() => {
      if (file === undefined) return powerShell.runCommand(command ?? "", emit);
      const [script, ...args] = file;
      return powerShell.runFile(script, args, emit);
    });
  } catch (error) {
    if (error instanceof ConsoleClosed) return 1;
    if (!(error instanceof Unsupported)) throw error;
    write(socket, "e", `rehearsed: PowerShell can't run this script: ${error.message}\n`);
    return unsupported;
  }
}

async function runNetsh(
  machine: WindowsMachine,
  words: readonly string[],
  socket: Socket,
): Promise<number> {
  try {
    const { exitCode, output } = await netsh(machine, words);
    write(socket, "o", output);
    return exitCode;
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    write(socket, "e", `rehearsed: this netsh.exe does not know: ${error.message}\n`);
    return unsupported;
  }
}

async function serveProgram(machine: WindowsMachine, socket: Socket): Promise<void> {
  let message = "";
  socket.setEncoding("utf8");
  socket.on("error", () => undefined); // a program that ends resets its connection
  for await (const data of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
    message += data;
    if (message.endsWith(end)) break;
  }
  socket.resume(); // or its end would not be seen
  send(socket, "x", await run(machine, message.slice(0, -1), socket));
  socket.end();
}

/**
 * Serves on the loopback address until the server is closed.
 *
 * @param port Default: that of powershell.exe. 0 is any.
 */
export async function servePowerShell(
  machine: WindowsMachine,
  log: (line: string) => void,
  port: number = powerShellPort,
): Promise<Server> {
  const server = createServer((socket) => {
    serveProgram(machine, socket).catch((error: unknown) => {
      log(`a script of a program: ${String(error)}`);
      socket.destroy();
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}
