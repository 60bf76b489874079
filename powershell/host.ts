/** What a script finds around itself: the machine, as far as the language and its general cmdlets reach. */

export interface Host {
  readonly files: Files;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly programs: Programs;
  /** Text for the script's own standard output and error. */
  readonly output: (text: string) => void;
  readonly error: (text: string) => void;
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
}

export interface Environment {
  get(name: string): string | undefined;
  /** Undefined or empty: removed. */
  set(name: string, value: string | undefined): void;
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

export interface Programs {
  /** Id of the script's own process. */
  readonly ownId: number;
  /** Full path of a program by name or path; undefined: there is none. */
  find(name: string): string | undefined;
  /** Runs a program to its end, with all that it reads on standard input. */
  run(file: string, args: readonly string[], input: string): Promise<ProgramResult>;
}

export interface ProgramResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}
