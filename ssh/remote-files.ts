import type { Client, SFTPWrapper } from "ssh2";

/** The part of SFTP's protocol that looks at a machine's files and removes folders. Paths as SFTP writes them: `C:/x`. */
export class RemoteFiles {
  readonly #sftp: SFTPWrapper;

  private constructor(sftp: SFTPWrapper) {
    this.#sftp = sftp;
  }

  static open(client: Client): Promise<RemoteFiles> {
    return new Promise((resolve, reject) => {
      client.sftp((error, sftp) => {
        if (error) reject(error);
        else resolve(new RemoteFiles(sftp));
      });
    });
  }

  /** Whether there is such a file or folder. */
  exists(path: string): Promise<boolean> {
    return new Promise((resolve) => {
      this.#sftp.stat(path, (error) => {
        resolve(!(error as Error | null | undefined));
      });
    });
  }

  /** Names of what is in a folder; none where there is no such folder. */
  async names(folder: string): Promise<string[]> {
    return (await this.#entries(folder)).map(({ name }) => name);
  }

  /** Removes a folder with all that is in it; fine when it is not there. */
  async remove(folder: string): Promise<void> {
    const entries = await this.#entries(folder);
    // All at once: one answer at a time, a folder of scripts would take as many journeys to the machine as it has files.
    await Promise.all(
      entries.map(({ name, isFolder }) => {
        const path = `${folder}/${name}`;
        return isFolder ? this.remove(path) : this.#done((end) => this.#sftp.unlink(path, end));
      }),
    );
    if (await this.exists(folder)) {
      await this.#done((end) => this.#sftp.rmdir(folder, end));
    }
  }

  /** Removes a file; fine when it is not there. */
  async removeFile(path: string): Promise<void> {
    if (await this.exists(path)) await this.#done((end) => this.#sftp.unlink(path, end));
  }

  #entries(folder: string): Promise<{ readonly name: string; readonly isFolder: boolean }[]> {
    return new Promise((resolve) => {
      this.#sftp.readdir(folder, (error, list) => {
        // It is null as well as undefined where all is well; its types know neither.
        const entries = (error as Error | null | undefined) ? [] : list;
        resolve(
          entries
            .filter(({ filename }) => filename !== "." && filename !== "..")
            .map(({ filename, attrs }) => ({ name: filename, isFolder: attrs.isDirectory() })),
        );
      });
    });
  }

  #done(start: (end: (error?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      start((error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }
}
