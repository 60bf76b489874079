/** The commands of a running pipeline. */
import { bind, bindInput } from "./binding.ts";
import { Call, type Argument, type Cmdlet, type Invocation, type Shell } from "./commands.ts";
import { toItems, toText } from "./convert.ts";
import { linesOf } from "./dotnet/encoding.ts";
import { located } from "./errors.ts";
import type { ScriptHost } from "./host.ts";
import { cmdletSignature } from "./parameters.ts";
import { isNull, Unsupported, type Value } from "./values.ts";

/** A command that is ready to process input from the pipeline. */
export interface Stage {
  process(value: Value): void | Promise<void>;
  end(): void | Promise<void>;
}

/** What a command's name resolves to: a function, cmdlet, script or program. */
export type Runnable = (invocation: Invocation) => Stage;

/** Runs a function once, with all pipeline input. */
export function gathering(piped: boolean, run: (input?: Value[]) => Promise<void>): Stage {
  const input: Value[] = [];
  return {
    process(value) {
      input.push(value);
    },
    end: () => run(piped ? input : undefined),
  };
}

export function program(file: string, { programs, error }: ScriptHost): Runnable {
  return ({ args, scope, emit, piped }) =>
    gathering(piped, async (input) => {
      const lines = (input ?? []).map((value) => `${toText(value)}\n`);
      if (/[^\0-\x7f]/.test(lines.join(""))) {
        throw new Unsupported("text beyond ASCII that is piped to a program"); // 5.1 pipes question marks.
      }
      const given = args.flatMap(words);
      // 5.1 puts them into the command line without the quotes that they need. cmd.exe takes what is behind /c as it is.
      const rest = /(^|\\)cmd\.exe$/i.test(file)
        ? given.findIndex((each) => /^\/c$/i.test(each))
        : -1;
      const parsed = rest < 0 ? given : given.slice(0, rest);
      const broken = parsed.find((each) => each === "" || /"|\s.*\\$/s.test(each));
      if (broken !== undefined) throw new Unsupported(`the argument ${broken} of a program`);
      let emitted = Promise.resolve();
      const put = (text: string): void => {
        emitted = emitted.then(async () => {
          for (const line of linesOf(text)) await emit(line);
        });
        emitted.catch(() => undefined); // reported below
      };
      const ended = await programs.run(file, given, lines.join(""), { lines: put, error });
      scope.global.setVariable("LASTEXITCODE", ended.exitCode);
      error(ended.stderr);
      put(ended.stdout);
      await emitted;
    });
}

function words({ name, value, written }: Argument): string[] {
  if (name !== undefined) return [value === undefined ? `-${name}` : `-${name}:${toText(value)}`];
  const given = written ?? value ?? null;
  return isNull(given) ? [] : toItems(given).map(toText);
}

export function cmdletStage(cmdlet: Cmdlet, shell: Shell): Runnable {
  return (invocation) => {
    const { args, piped } = invocation;
    const bound = bind(cmdletSignature(cmdlet, shell.types), args, piped);
    const call = new Call(cmdlet, bound.values, invocation, shell);
    const { process = () => cmdlet.run?.(call), end } = cmdlet.open?.(call) ?? {};
    const attempt = (run?: () => void | Promise<void>) =>
      located(call.position, () => run?.(), cmdlet);
    return {
      async process(value) {
        bindInput(bound, value);
        await attempt(process);
      },
      async end() {
        await attempt(piped ? undefined : process);
        await attempt(end);
      },
    };
  };
}
