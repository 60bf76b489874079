/** The commands of a running pipeline. */
import { bindArguments, bindInput, type Argument, type Bound } from "./binding.ts";
import type { Call, Cmdlet, Emit, Shell } from "./commands.ts";
import { toBool, toItems, toText } from "./convert.ts";
import type { Host } from "./host.ts";
import { cmdletSignature } from "./parameters.ts";
import type { Scope } from "./scope.ts";
import type { Position } from "./syntax.ts";
import * as is from "./types.ts";
import { ErrorRecord, isNull, Num, Raised, ScriptBlock, type Value } from "./values.ts";

/** A command, ready to take what comes down the pipeline. */
export interface Stage {
  process(value: Value): void | Promise<void>;
  end(): void | Promise<void>;
}

/** How a command is called. */
export interface Invocation {
  readonly args: readonly Argument[];
  readonly position: Position;
  /** Of the pipeline. */
  readonly scope: Scope;
  readonly emit: Emit;
  /** Something is piped in. */
  readonly piped: boolean;
  /** What a program writes to its standard error is shown. */
  readonly showsErrors: boolean;
  /** Ends the pipeline's commands before this one. */
  readonly stop: () => never;
}

/** Something that a command's name leads to: a function, a cmdlet, a script, a program. */
export type Runnable = (invocation: Invocation) => Stage;

/** Runs something once, with all that is piped in. */
export function gathering(piped: boolean, run: (input?: Value[]) => Promise<void>): Stage {
  const input: Value[] = [];
  return {
    process(value) {
      input.push(value);
    },
    end: () => run(piped ? input : undefined),
  };
}

export function program(file: string, { processes, error }: Host): Runnable {
  return ({ args, scope, emit, piped, showsErrors }) =>
    gathering(piped, async (input) => {
      const child = processes.start({ file, args: args.flatMap(words) });
      if (input) {
        child.writeInput(Buffer.from(input.map((value) => `${toText(value)}\n`).join("")));
      }
      child.closeInput();
      const [code, output, errors] = await Promise.all([child.ended, child.stdout, child.stderr]);
      scope.global.setVariable("LASTEXITCODE", code);
      scope.global.setVariable("?", code === 0);
      if (showsErrors) {
        error(errors.toString("utf8"));
      }
      // A last line end makes no further line.
      const text = output.toString("utf8").replace(/\r?\n$/, "");
      for (const line of output.length === 0 ? [] : text.split(/\r?\n/)) {
        await emit(line);
      }
    });
}

/** What a program gets for an argument. */
function words({ name, value, written }: Argument): string[] {
  if (name !== undefined) {
    return [value === undefined ? `-${name}` : `-${name}:${toText(value)}`];
  }
  const given = written ?? value ?? null;
  return isNull(given) ? [] : toItems(given).map(toText);
}

export function cmdletStage(cmdlet: Cmdlet, shell: Shell): Runnable {
  return (invocation) => {
    const signature = cmdletSignature(cmdlet, shell.types);
    const bound = bindArguments(signature, invocation.args, invocation.piped);
    const call = new CmdletCall(shell, cmdlet, bound, invocation);
    const { process = () => cmdlet.run?.(call), end } = cmdlet.open?.(call) ?? {};
    return {
      async process(value) {
        await bindInput(bound, value);
        await call.attempt(process);
      },
      async end() {
        await call.attempt(invocation.piped ? undefined : process);
        await call.attempt(end);
      },
    };
  };
}

class CmdletCall implements Call {
  readonly name: string;
  readonly position: Position;
  readonly scope: Scope;
  readonly emit: Emit;
  readonly stop: () => never;

  constructor(
    readonly shell: Shell,
    readonly cmdlet: Cmdlet,
    readonly bound: Bound,
    { position, scope, emit, stop }: Invocation,
  ) {
    this.name = cmdlet.name;
    this.position = position;
    this.scope = scope;
    this.emit = emit;
    this.stop = stop;
  }

  get(name: string): Value | undefined {
    return this.bound.values.get(name.toLowerCase());
  }
  text(name: string): string | undefined {
    return this.texts(name) && toText(this.get(name) ?? null);
  }
  texts(name: string): string[] | undefined {
    const value = this.get(name);
    return value === undefined ? undefined : toItems(value).map(toText);
  }
  number(name: string): number | undefined {
    const value = this.get(name);
    return value === undefined ? undefined : Number(value instanceof Num ? value.value : value);
  }
  flag(name: string): boolean {
    return toBool(this.get(name) ?? false);
  }
  block(name: string): ScriptBlock | undefined {
    const value = this.get(name);
    return value instanceof ScriptBlock ? value : undefined;
  }

  fail(error: Raised, options?: { category?: string; target?: Value }): Promise<void> {
    this.#record(error, options);
    const preference = toText(this.bound.common.get("ErrorAction") ?? this.scope.errorAction);
    if (/^stop$/i.test(preference)) {
      throw terminating(error);
    }
    report(error, preference, this.scope, this.shell.host);
    return Promise.resolve();
  }

  /** Runs code of the cmdlet's: what it raises has the cmdlet's id. */
  async attempt(run: (() => void | Promise<void>) | undefined): Promise<void> {
    try {
      await run?.();
    } catch (error) {
      if (error instanceof Raised && !error.record) {
        this.#record(error);
        error.located = true;
      }
      throw error;
    }
  }

  #record(error: Raised, options: { category?: string; target?: Value } = {}): void {
    const id = error.id ?? error.exception.type.shortName;
    const { implementation } = this.cmdlet;
    const full = implementation === undefined || id.includes(",") ? id : `${id},${implementation}`;
    complete(error, this.position, { id: full, ...options });
  }
}

/** Gives an error its record, with the place where it happened, unless it has one. */
export function complete(
  error: Raised,
  position: Position,
  {
    id = error.id ?? error.exception.type.shortName,
    category = "NotSpecified",
    target = null,
  }: { readonly id?: string; readonly category?: string; readonly target?: Value } = {},
): ErrorRecord {
  const { exception } = error;
  error.record ??= new ErrorRecord(is.errorRecord, exception, id, category, target, position);
  return error.record;
}

/** Shows an error that ends nothing, as $ErrorActionPreference has it. */
export function report(error: Raised, preference: string, scope: Scope, host: Host): void {
  scope.global.setVariable("?", false);
  if (!/^(silentlycontinue|ignore)$/i.test(preference)) {
    host.error(`${error.exception.message}\n`);
  }
}

export function terminating(error: Raised): Raised {
  error.terminating = true;
  error.located = true;
  return error;
}
