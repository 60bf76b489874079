import type { SFTPWrapper, ServerChannel, Session } from "ssh2";
import type { CommandIo } from "../run-script.ts";
import { rehearsalNotice } from "../windows-version.ts";

/** What a session can ask for. */
export interface SessionHandlers {
  /** Runs one command and returns its exit code. */
  runCommand(text: string, io: CommandIo): Promise<number>;
  serveSftp(sftp: SFTPWrapper): void;
  /** Called when a command has ended; the channel closes when its answer has come. */
  answering(channel: ServerChannel): void;
}

/** Seconds a command waits for the end of its standard input. */
const stdinSeconds = 30;

/** Serves one session: a command or SFTP. Environment requests are refused, as by an sshd without AcceptEnv. */
export function serveSession(
  session: Session,
  handlers: SessionHandlers,
  dropConnection: () => void,
  log: (line: string) => void,
): void {
  session.on("pty", (accept) => accept?.());
  session.on("sftp", (accept) => handlers.serveSftp(accept()));
  session.on("shell", (accept) => {
    const channel = accept();
    channel.on("error", (error: Error) => log(`shell: ${error.message}`));
    writeText(channel, `${rehearsalNotice}\nIt has no interactive shell: give a command to ssh.\n`);
    end(channel, 1);
  });
  session.on("exec", (accept, _reject, { command }) => {
    const channel = accept();
    channel.on("error", (error: Error) => log(`command: ${error.message}`));
    const io: CommandIo = {
      out: (text) => writeText(channel, text),
      err: (text) => writeText(channel.stderr, text),
      stdin: () => readAll(channel),
      dropConnection,
    };
    handlers.runCommand(command, io).then(
      (exitCode) => {
        if (channel.writable) handlers.answering(channel);
        end(channel, exitCode);
      },
      (error: unknown) => {
        log(`command failed: ${error instanceof Error ? error.stack : String(error)}`);
        io.err(`The rehearsal host failed: ${String(error)}\n`);
        end(channel, 1);
      },
    );
  });
}

/** Windows programs end lines with CRLF. A command outlives its connection: what it then writes goes nowhere. */
function writeText(
  stream: { writable: boolean; write(text: string): boolean },
  text: string,
): void {
  if (stream.writable) stream.write(text.replaceAll(/\r?\n/g, "\r\n"));
}

function end(channel: ServerChannel, exitCode: number): void {
  if (!channel.writable) return;
  channel.exit(exitCode);
  channel.end();
  channel.resume(); // input nobody read must not keep the channel open
}

async function readAll(channel: ServerChannel): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => resolve(undefined), stdinSeconds * 1000);
    const finish = (): void => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString("utf8"));
    };
    channel.on("data", (chunk: Buffer) => chunks.push(chunk));
    channel.once("end", finish);
    channel.once("close", finish);
  });
}
