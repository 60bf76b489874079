import { randomBytes } from "node:crypto";
import type { Operation } from "../protocol/operation.ts";
import { checkProperties, type Properties } from "../protocol/property-shape.ts";
import { diffProperties } from "../protocol/property-diff.ts";
import { type PropertyMap, reveal, unknown } from "../protocol/property-value.ts";
import { redactor } from "../protocol/redaction.ts";
import type { Difference, ResourceType } from "../protocol/resource-type.ts";
import { propertiesToHide } from "./properties.ts";

/** A command's output, without the newline at its end. */
export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandRun {
  /** The command line: the `create`, `update` or `delete` input. */
  readonly script: string;
  /** All inputs, without secret marks. */
  readonly inputs: PropertyMap;
  readonly previous: CommandOutput;
  readonly redact: (text: string) => string;
}

/** Runs a command to its end. @throws if it fails, with the command and its output. */
export type RunCommand = (run: CommandRun, operation: Operation) => Promise<CommandOutput>;

/**
 * A resource whose life is commands: `create`, then `update` (or `create` again) for every changed input, then
 * `delete` with the inputs of the last update. Changed `triggers` replace it. It is never read: nothing can drift.
 */
export function commandType(properties: Properties, runCommand: RunCommand): ResourceType {
  const run = async (
    script: string | undefined,
    inputs: PropertyMap,
    olds: PropertyMap,
    operation: Operation,
  ): Promise<CommandOutput> =>
    script === undefined ? outputOf(olds) : runCommand(commandRun(script, inputs, olds), operation);

  return {
    check: (news) => checkProperties("command", properties, news),
    diff: ({ olds, news }) => diffInputs(properties, olds, news),
    async create({ inputs, preview }, operation) {
      if (preview) return { id: "", properties: { ...inputs, stdout: unknown, stderr: unknown } };
      const output = await run(textOf(inputs, "create"), inputs, {}, operation);
      const id = `${operation.name}${randomBytes(4).toString("hex")}`;
      return { id, properties: { ...inputs, ...output } };
    },
    read: ({ inputs, state }) => Promise.resolve({ inputs, state }),
    async update({ olds, news, preview }, operation) {
      if (preview) return { ...news, stdout: unknown, stderr: unknown };
      const script = textOf(news, "update") ?? textOf(news, "create");
      return { ...news, ...(await run(script, news, olds, operation)) };
    },
    async delete(olds, operation) {
      await run(textOf(olds, "delete"), olds, olds, operation);
    },
  };
}

/** @param olds the resource's state, which includes the previous command's output */
export function commandRun(script: string, inputs: PropertyMap, olds: PropertyMap): CommandRun {
  return {
    script,
    inputs: reveal(inputs) as PropertyMap,
    previous: outputOf(olds),
    redact: redactor({ inputs: propertiesToHide(inputs), olds: propertiesToHide(olds) }),
  };
}

/** Changed inputs: those below `triggers` replace the resource. The state holds the inputs of the last success. */
export function diffInputs(
  properties: Properties,
  olds: PropertyMap,
  news: PropertyMap,
): Difference {
  const oldInputs = Object.fromEntries(
    Object.entries(olds).filter(([name]) => properties[name] !== undefined),
  );
  const changes = diffProperties(oldInputs, news).map((change) => ({
    ...change,
    replaces: change.keys[0] === "triggers",
  }));
  return { changes, deleteBeforeReplace: false };
}

function textOf(map: PropertyMap, name: string): string | undefined {
  const value = reveal(map[name] ?? null);
  return typeof value === "string" ? value : undefined;
}

function outputOf(state: PropertyMap): CommandOutput {
  return { stdout: textOf(state, "stdout") ?? "", stderr: textOf(state, "stderr") ?? "" };
}
