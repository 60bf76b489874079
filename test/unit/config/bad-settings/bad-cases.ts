import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { parse, stringify } from "yaml";

/** Settings below `config:`, or a whole file. Every other key is a setting's path, with the expected error. */
interface Written {
  /** Name of the stack; `dev` unless given. */
  readonly stack?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  /** Why the program reports something else than the commands. */
  readonly commandsOnly?: string;
}
type WrittenCase = Written & Readonly<Record<string, unknown>>;

export interface BadCase extends Pick<Written, "commandsOnly"> {
  readonly title: string;
  readonly problems: readonly string[];
  readonly stack: string;
  readonly text: string;
  /** Content below `config:`; undefined if the mistake is in the text around it. */
  readonly config: Readonly<Record<string, unknown>> | undefined;
}

export const tables: readonly string[] = readdirSync(import.meta.dirname).filter((name) =>
  name.endsWith(".yaml"),
);

/** A key with a leading dot holds what several cases share; `.all` has the settings of cases without others. */
export function badCases(table: string): BadCase[] {
  const text = readFileSync(path.join(import.meta.dirname, table), "utf8");
  const { ".all": all, ...written } = parse(text, { merge: true }) as Record<string, WrittenCase>;
  return Object.entries(written)
    .filter(([title]) => !title.startsWith("."))
    .map(([title, one]) =>
      badCase(title, all === undefined ? one : { ...one, settings: { ...all, ...one.settings } }),
    );
}

export function badCaseOf(table: string, title: string): BadCase {
  const found = badCases(table).find((one) => one.title === title);
  if (found === undefined) throw new Error(`${table} has no "${title}"`);
  return found;
}

export function badCase(title: string, written: WrittenCase): BadCase {
  const { stack = "dev", settings, text, commandsOnly, ...reported } = written;
  const config =
    settings &&
    Object.fromEntries(
      Object.entries(settings).map(([key, value]) => [
        key.includes(":") ? key : `kindows:${key}`,
        value,
      ]),
    );
  const problems = Object.entries(reported as Record<string, string | readonly string[]>).flatMap(
    ([place, said]) => [said].flat().map((each) => `${place}: ${each}`),
  );
  const whole = text ?? stringify({ config });
  return { title, stack, config, text: whole, problems, commandsOnly };
}
