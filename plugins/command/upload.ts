import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { Client, SFTPWrapper } from "ssh2";
import type { Operation } from "../protocol/operation.ts";

/** What is copied: a file or folder of this machine, or a text. */
export type CopySource = { readonly path: string } | { readonly text: string };

const NO_SUCH_FILE = 2;

/** What to do about a connection that was lost: whichever of ssh2's ways of saying so comes first. */
const copiedAnew = "run again: it is copied anew";

/** Files of a folder that are under way together: each is several questions, and a busy server takes its time for one. */
const FILES_AT_ONCE = 8;

type RemoteKind = "folder" | "file" | "nothing";

/**
 * Copies to the place that `remotePath` means, which depends on what is there already:
 *
 * | source    | remotePath is a folder | is nothing      | is a file   |
 * | --------- | ---------------------- | --------------- | ----------- |
 * | folder    | remotePath/folder      | remotePath/folder | error     |
 * | folder/   | its content            | its content     | error       |
 * | file      | remotePath/file        | remotePath      | overwritten |
 * | text      | error                  | remotePath      | overwritten |
 *
 * Missing parent folders are an error, files of the same name are overwritten and others left alone.
 */
export async function uploadSource(
  client: Client,
  source: CopySource,
  remotePath: string,
  operation: Operation,
): Promise<void> {
  const { signal } = operation;
  const sftp = await openSftp(client);
  const work = upload(new RemoteFiles(sftp), source, remotePath);
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
  });
  const lost = new Promise<never>((_resolve, reject) => {
    const end = (why = ""): void => {
      reject(
        new Error(`the connection was lost while copying to ${remotePath}${why} (${copiedAnew})`),
      );
    };
    client.once("close", () => end());
    client.on("error", ({ message }) => end(`: ${message}`));
  });
  try {
    await Promise.race([work, aborted, lost]);
  } finally {
    sftp.end();
  }
}

async function upload(files: RemoteFiles, source: CopySource, remotePath: string): Promise<void> {
  const kind = await files.kindOf(remotePath);
  if ("text" in source) {
    if (kind === "folder") {
      throw new Error(
        `remote path ${remotePath} is a directory; when using a text asset, remotePath must be a file path`,
      );
    }
    await files.write(remotePath, source.text);
  } else if ((await stat(source.path)).isDirectory()) {
    let target = remotePath;
    await files.requireFolder(target);
    if (!source.path.endsWith("/")) {
      target = path.posix.join(target, path.basename(path.resolve(source.path)));
      await files.requireFolder(target);
    }
    await uploadFolder(files, source.path, target);
  } else {
    const target =
      kind === "folder" ? path.posix.join(remotePath, path.basename(source.path)) : remotePath;
    await files.put(source.path, target);
  }
}

async function uploadFolder(files: RemoteFiles, from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true });
  const names = (folders: boolean): string[] =>
    entries.filter((entry) => entry.isDirectory() === folders).map(({ name }) => name);
  for (const name of names(true)) {
    await files.requireFolder(path.posix.join(to, name));
    await uploadFolder(files, path.join(from, name), path.posix.join(to, name));
  }
  const waiting = names(false);
  const put = async (): Promise<void> => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      await files.put(path.join(from, name), path.posix.join(to, name));
    }
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, put));
}

/** SFTP with promises, and with errors that name the file. */
class RemoteFiles {
  readonly #sftp: SFTPWrapper;

  constructor(sftp: SFTPWrapper) {
    this.#sftp = sftp;
  }

  kindOf(file: string): Promise<RemoteKind> {
    return new Promise((resolve, reject) => {
      this.#sftp.stat(file, (error, stats) => {
        if (error === undefined) resolve(stats.isDirectory() ? "folder" : "file");
        else if ((error as { code?: unknown }).code === NO_SUCH_FILE) resolve("nothing");
        else reject(new Error(`failed to stat remote path ${file}: ${error.message}`));
      });
    });
  }

  async requireFolder(folder: string): Promise<void> {
    const kind = await this.kindOf(folder);
    if (kind === "file") throw new Error(`remote path ${folder} exists but is not a directory`);
    if (kind === "nothing") {
      await this.#call(`failed to create remote directory ${folder}`, (done) => {
        this.#sftp.mkdir(folder, done);
      });
    }
  }

  put(from: string, to: string): Promise<void> {
    return this.#call(`failed to copy file ${from} to remote path ${to}`, (done) => {
      this.#sftp.fastPut(from, to, done);
    });
  }

  write(to: string, text: string): Promise<void> {
    return this.#call(`failed to write text content to remote path ${to}`, (done) => {
      this.#sftp.writeFile(to, text, done);
    });
  }

  #call(failure: string, start: (done: (error?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      start((error) => {
        if (error) reject(new Error(`${failure}: ${explained(error.message)}`));
        else resolve();
      });
    });
  }
}

/** SFTP has one word for whatever the other side's system said; of an answer that never came, ssh2 says so itself. */
function explained(message: string): string {
  switch (message) {
    case "Failure":
      return "Failure (is its drive full? make room, then run again)";
    case "No response from server":
      return `No response from server (${copiedAnew})`;
    default:
      return message;
  }
}

function openSftp(client: Client): Promise<SFTPWrapper> {
  return new Promise((resolve, reject) => {
    client.sftp((error, sftp) => {
      if (error) reject(new Error(`the SSH server offers no SFTP: ${error.message}`));
      else resolve(sftp);
    });
  });
}
