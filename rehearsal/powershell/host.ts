/** The parts of a machine that the language and its general cmdlets use. */

export interface ScriptHost {
  readonly files: Files;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly programs: Programs;
  /** Write to the script's standard output and standard error. */
  readonly output: (text: string) => void;
  readonly error: (text: string) => void;
}

/** The result of a change, which may be asynchronous. */
export type Done = void | Promise<void>;

/** The file system. Paths are as scripts write them (`C:\k\join.ps1` on Windows). */
export interface Files {
  /** Path separator: `\` on Windows, which also accepts `/`. */
  readonly separator: "\\" | "/";
  /** The full path of a path that may be relative or contain `.` and `..`. */
  resolve(path: string): string;
  /** Undefined if there is no such file or folder. */
  status(path: string): object | undefined;
  read(path: string): Buffer;
  /** Creates or overwrites the file, without flushing it to disk. */
  write(path: string, data: Uint8Array): Done;
}

export interface Environment {
  get(name: string): string | undefined;
  /** Undefined or "" removes the variable. */
  set(name: string, value: string | undefined): void;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  /** Ends early when `cancelled` is aborted. */
  sleep(milliseconds: number, cancelled?: AbortSignal): Promise<void>;
  /** Minutes that local time is ahead of UTC at a moment. */
  offset(moment: number): number;
}

export interface Programs {
  /** The full path of a program, found by name or path. Undefined if there is none. */
  find(name: string): string | undefined;
  /**
   * Runs a program until it exits. `input` is its standard input. What `output` has got of the program while it ran is
   * not in the result.
   */
  run(
    file: string,
    args: readonly string[],
    input: string,
    output?: ProgramOutput,
  ): Promise<ProgramResult>;
}

/** Takes a program's output as it comes. */
export interface ProgramOutput {
  /** Takes text that ends with a line's end. */
  readonly lines: (text: string) => void;
  readonly error: (text: string) => void;
}

interface ProgramResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}
