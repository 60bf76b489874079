/** What a script finds around itself: the machine, as far as the language and its general cmdlets reach. */

export interface Host {
  readonly files: Files;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly processes: Processes;
  /** Text for the script's own standard output and error. */
  readonly output: (text: string) => void;
  readonly error: (text: string) => void;
  /** Undefined: no other script of the machine has any. */
  readonly mutexes?: Mutexes;
  /** Addresses of a name; none: it does not resolve. Undefined: there is no network. */
  readonly lookup?: (name: string) => Promise<readonly string[]>;
  /** The script's standard input, to its end. */
  readonly input: () => Promise<Buffer>;
}

/** Changes may take a while. */
export type Done = void | Promise<void>;

export interface FileStatus {
  readonly isFolder: boolean;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly isReadOnly: boolean;
  readonly isHidden: boolean;
  /** A symbolic link or junction; all else is said of what it leads to. */
  readonly isLink?: boolean;
}

/** An open file. */
export interface FileHandle {
  readonly size: number;
  position: number;
  read(length: number): Buffer;
  write(data: Uint8Array): Done;
  /** Has what was written on the disk. */
  flush(): Done;
  close(): void;
}

export type FileMode = "Open" | "Create" | "CreateNew" | "OpenOrCreate" | "Append" | "Truncate";

/**
 * A file system. Paths are absolute and as scripts write them (`C:\k\kubelet.exe` on Windows). What the file system
 * refuses is thrown as `Raised` with .NET's exception; so are paths with parts that are not there.
 */
export interface Files {
  /** Between folders: `\` on Windows, where `/` is taken too. */
  readonly separator: "\\" | "/";
  /** Full path of a path that may be relative, without `.` and `..`. */
  resolve(path: string): string;
  /** Undefined: not there. */
  status(path: string): FileStatus | undefined;
  /** Whether a pipe is served. Undefined: the path leads to none. */
  device?(path: string): Promise<boolean> | undefined;
  /** Names in a folder, in no order. */
  list(path: string): string[];
  read(path: string): Buffer;
  /** Creates the file, or replaces what it has; not flushed. */
  write(path: string, data: Uint8Array): Done;
  makeFolder(path: string): Done;
  /** Removes a file or an empty folder. */
  remove(path: string, options: { readonly force: boolean }): Done;
  /** Moves a file or folder; something at the target is an error. */
  move(from: string, to: string): Done;
  /** Puts a file in the place of another, which must be there. */
  replace(from: string, to: string): Done;
  /** Copies a file, over one that is there. */
  copy(from: string, to: string): Done;
  /** Milliseconds since 1970. */
  setModified(path: string, moment: number): Done;
  open(
    path: string,
    options: {
      readonly mode: FileMode;
      readonly access: "Read" | "Write" | "ReadWrite";
      readonly share: string;
    },
  ): FileHandle | Promise<FileHandle>;
}

export interface Environment {
  get(name: string): string | undefined;
  /** Undefined or empty: removed. */
  set(name: string, value: string | undefined): void;
  all(): ReadonlyMap<string, string>;
  readonly machineName: string;
  /** The machine's own variables, which new processes begin with. Undefined: not modelled. */
  readonly machine?: Pick<Environment, "get" | "set" | "all">;
}

/** Mutexes with names, which the scripts of a machine share. */
export interface Mutexes {
  /** Waits so long at most; -1: however long. */
  enter(name: string, milliseconds: number): Promise<"entered" | "abandoned" | "busy">;
  leave(name: string): void;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
  /** Ends early when `cancelled` says so. */
  sleep(milliseconds: number, cancelled?: AbortSignal): Promise<void>;
  /** Minutes that local time is ahead of UTC at a moment. */
  offset(moment: number): number;
}

export interface RunningProcess {
  readonly id: number;
  /** Resolves with the exit code. */
  readonly ended: Promise<number>;
  readonly stdout: Promise<Buffer>;
  readonly stderr: Promise<Buffer>;
  /** Standard input: what is written to it, then end. */
  writeInput(data: Uint8Array): void;
  closeInput(): void;
  kill(): void;
}

export interface Processes {
  /** The script's own process. */
  readonly id: number;
  /** Full path of a program by name or path; undefined: there is none. */
  find(name: string): string | undefined;
  start(options: {
    readonly file: string;
    readonly args: readonly string[];
    readonly workingDirectory?: string;
  }): RunningProcess;
}
