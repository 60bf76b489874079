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

/** Where scripts lie. Paths are as scripts write them (`C:\k\join.ps1` on Windows). */
export interface Files {
  /** Between folders: `\` on Windows, where `/` is taken too. */
  readonly separator: "\\" | "/";
  /** Full path of a path that may be relative, without `.` and `..`. */
  resolve(path: string): string;
  /** Undefined: not there. */
  status(path: string): object | undefined;
  read(path: string): Buffer;
  /** Creates the file, or replaces what it has; not flushed. */
  write(path: string, data: Uint8Array): Done;
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
