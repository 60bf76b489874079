import type { Command } from "commander";
import type * as z from "zod";

import { kindowsProgram } from "../../../cli/command-line/kindows-program.ts";
import { stackFileSchema } from "../../../config/json-schema.ts";
import { exitCodes } from "../../../host/failure.ts";
import { allCommands } from "../cli/all-commands.ts";
import { assertGolden } from "../controlplane/golden.ts";

type Schema = z.core.JSONSchema.JSONSchema;

/** A command with its operands and its own options, on one line. */
function synopsis({ name, command }: { readonly name: string; readonly command: Command }): string {
  const operands = command.registeredArguments.map((each) => {
    const what = each.argChoices?.join("|") ?? `${each.name()}${each.variadic ? "..." : ""}`;
    return each.required ? `<${what}>` : `[${what}]`;
  });
  return [name, ...operands, ...optionsOf(command)].join(" ");
}

const optionsOf = ({ options }: Command): readonly string[] =>
  options.map(({ flags, argChoices }) => `[${[flags, argChoices?.join("|")].join(" ").trim()}]`);

/** The groups of settings with the names in them, a line each, and the settings with their choices. */
function groups(schema: Schema, path: string): readonly string[] {
  const { properties = {}, anyOf = [], oneOf = [], allOf = [], items, const: only } = schema;
  const names = Object.keys(properties);
  const choices = schema.enum ?? (only === undefined ? [] : [only]);
  const below = [
    ...names.map((name) => [properties[name], path === "" ? name : `${path}.${name}`] as const),
    ...[...anyOf, ...oneOf, ...allOf].map((each) => [each, path] as const),
    [items, `${path}[]`] as const,
    [schema.additionalProperties, `${path}.*`] as const,
  ];
  return [
    ...(names.length > 0 ? [`${path}: ${names.join(" ")}`] : []),
    ...(choices.length > 0 ? [`${path} = ${choices.join("|")}`] : []),
    ...below.flatMap(([each, at]) =>
      typeof each === "object" && !Array.isArray(each) ? groups(each, at) : [],
    ),
  ];
}

it("a release loses no command, operand, option, exit code or setting unseen", () => {
  const program = kindowsProgram();
  const { config } = (stackFileSchema() as { properties: { config: Schema } }).properties;
  const { then: existing, else: lab } = config as { then: Schema; else: Schema };
  const surface = [
    ...["# every command", ...optionsOf(program)],
    ...["", "# commands", ...allCommands(program).map(synopsis)],
    ...["", "# exit codes", ...Object.entries(exitCodes).map(([name, code]) => `${code} ${name}`)],
    ...["", "# settings of a lab", ...new Set(groups(lab, ""))],
    ...["", "# settings of existing machines", ...new Set(groups(existing, ""))],
  ];
  assertGolden(new URL("./", import.meta.url), "public-surface.txt", `${surface.join("\n")}\n`);
});
