import type { LogFolder } from "../../../../../cli/logs/follow/log-folder.ts";

/** Log files of a machine that is none. */
export class FilesInMemory implements LogFolder {
  readonly files = new Map<string, Buffer>();
  /** Files that were opened, in order. */
  readonly opened: string[] = [];

  append(file: string, text: string): void {
    this.files.set(
      file,
      Buffer.concat([this.files.get(file) ?? Buffer.alloc(0), Buffer.from(text)]),
    );
  }

  rename(from: string, to: string): void {
    this.files.set(to, this.files.get(from) ?? Buffer.alloc(0));
    this.files.delete(from);
  }

  list(folder: string): Promise<readonly { name: string; isFolder: boolean }[]> {
    const names = new Map<string, boolean>();
    for (const file of this.files.keys()) {
      if (!file.startsWith(`${folder}/`)) continue;
      const [name = "", ...rest] = file.slice(folder.length + 1).split("/");
      names.set(name, rest.length > 0);
    }
    return Promise.resolve([...names].map(([name, isFolder]) => ({ name, isFolder })));
  }

  size(file: string): Promise<number | undefined> {
    return Promise.resolve(this.files.get(file)?.length);
  }

  read(file: string, offset: number, length: number): Promise<Buffer | undefined> {
    this.opened.push(file);
    return Promise.resolve(this.files.get(file)?.subarray(offset, offset + length));
  }
}
