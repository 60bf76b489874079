import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { format, resolveConfig } from "prettier";
import { parseDocument } from "yaml";
import * as z from "zod";
import { existingSchema } from "./existing.ts";
import { jsonSchemaName, stackFileSchema } from "./json-schema.ts";
import { bare, metaOf } from "./schema-paths.ts";
import { settingsSchema } from "./settings.ts";
import { stackKinds } from "./stack-sections.ts";

export async function schemaFiles(): Promise<readonly (readonly [file: string, text: string])[]> {
  const page = fileURLToPath(new URL("../docs/settings.md", import.meta.url));
  const projectFile = fileURLToPath(new URL("../Pulumi.yaml", import.meta.url));
  const project = parseDocument(await readFile(projectFile, "utf8"));
  project.set("config", projectConfig());
  return Promise.all(
    [
      [page, settingsPage()] as const,
      [projectFile, project.toString({ lineWidth: 0 })] as const,
      [fileURLToPath(new URL(`../${jsonSchemaName}`, import.meta.url)), editorSchema()] as const,
    ].map(
      async ([file, text]) =>
        [file, await format(text, { ...(await resolveConfig(file)), filepath: file })] as const,
    ),
  );
}

const editorSchema = (): string => JSON.stringify(stackFileSchema());

type Schema = z.core.$ZodType;

/** Declaration of a setting in Pulumi.yaml (pulumi/pulumi, sdk/go/common/workspace/project.json). */
interface ProjectConfigType {
  readonly type: "string" | "boolean" | "object" | "array";
  readonly items?: { readonly type: "object" | "string" };
  readonly description: string;
  /** Without a default, every stack would have to write the setting. */
  readonly default: unknown;
}

/** The section `config:` of Pulumi.yaml. The engine only checks the types given there; kindows checks the contents. */
export function projectConfig(): Readonly<Record<string, ProjectConfigType>> {
  const sections = { ...existingSchema.shape, ...settingsSchema.shape };
  return {
    stack: {
      type: "string",
      description: `Kind of the stack: ${stackKinds.join(" or ")}.`,
      default: stackKinds[0],
    },
    ...Object.fromEntries(
      Object.entries<Schema>(sections)
        .map(([name, schema]) => [name, section(schema)] as const)
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
  };
}

function section(schema: Schema): ProjectConfigType {
  const { description = "" } = metaOf(schema);
  const inner = bare(schema);
  if (inner instanceof z.ZodBoolean) return { type: "boolean", description, default: false };
  if (!(inner instanceof z.ZodArray)) return { type: "object", description, default: {} };
  const type = bare(inner.element) instanceof z.ZodString ? "string" : "object";
  return { type: "array", items: { type }, description, default: [] };
}

const introduction = `# Settings

Written by \`node --import tsx config/write-schema-files.ts\`; a test keeps it current.

Write settings under \`config:\` in \`Pulumi.<stack>.yaml\`. Each section below has the prefix \`kindows:\` there:

\`\`\`yaml
config:
  kindows:network:
    cidr: 192.168.150.0/24
  kindows:nodes:
    - name: win-1
\`\`\`

A setting that you leave out has its default. kindows reports all mistakes (unknown keys, wrong types and contradictions)
at once, before it creates anything. Each report names the setting, its value, what is wrong and what to write instead;
passwords, logins and keys are not shown. An editor with a YAML language server completes and explains settings in a file that
begins as the stacks here do: \`# yaml-language-server: $schema=kindows-schema.json\`. A file without any settings is a mistake, and so is a key whose prefix is a
misspelling of \`kindows:\`. Then kindows checks the host and reports its problems.
`;

const existing = `
## Stacks of existing machines

With \`kindows:stack: existing\`, a stack joins existing Windows machines to an [existing cluster](existing.md). The default,
\`kindows:stack: lab\`, has the sections above. A stack of existing machines has only these sections:
`;

function settingsPage(): string {
  const lab = sections(settingsSchema.shape, "##");
  return `${introduction}${lab}${existing}${sections(existingSchema.shape, "###", settingsSchema.shape)}`;
}

type Shape = Readonly<Record<string, Schema>>;

/** Text for each section. Settings with the same text in that section of `described` are only listed by name. */
function sections(shape: Shape, level: string, described: Shape = {}): string {
  return Object.entries(shape)
    .map(([name, schema]) => {
      const heading = `\n${level} kindows:${name}\n\n${metaOf(schema).description ?? ""}\n`;
      const known = items(described[name] === undefined ? [] : rows(described[name], ""));
      const all = items(rows(schema, ""));
      const shared = all.filter((item) => known.includes(item));
      const named = shared.flatMap((item) => /`[^`]+`/.exec(item)?.[0] ?? []).join(", ");
      const rest = all.filter((item) => !known.includes(item)).join("");
      return `${heading}\n${rest}${named === "" ? "" : `- As for a lab: ${named}\n`}`;
    })
    .join("");
}

/**
 * All settings below `schema`, depth first.
 *
 * @param chosen description of the first setting, if that is the discriminator of a union.
 */
function rows(
  schema: Schema,
  key: string,
  chosen?: string,
): (readonly [key: string, text: string])[] {
  const inner = bare(schema);
  if (inner instanceof z.ZodArray) return rows(inner.element, `${key}[]`);
  if (inner instanceof z.ZodDiscriminatedUnion) {
    return inner.options.flatMap((option) => rows(option, key, metaOf(option).description ?? ""));
  }
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries<Schema>(inner.shape).flatMap(([name, below], index) => {
    const path = key === "" ? name : `${key}.${name}`;
    const text = settingText(below, index === 0 ? chosen : undefined);
    return [[path, text] as const, ...rows(below, path)];
  });
}

function settingText(schema: Schema, chosen: string | undefined): string {
  const { unit, default: inWords, description = "" } = metaOf(schema);
  const type = `${typeText(bare(schema))}${unit === undefined ? "" : ` (${unit})`}`;
  const fallback = inWords === undefined ? defaultText(schema) : `; default: ${inWords}`;
  return `(${type}${fallback}): ${chosen ?? description}`;
}

function typeText(schema: Schema): string {
  if (schema instanceof z.ZodEnum) {
    return schema.options.map((option) => `\`${option}\``).join(", ");
  }
  if (schema instanceof z.ZodLiteral) {
    return [...schema.values].map((value) => `\`${String(value)}\``).join(", ");
  }
  if (schema instanceof z.ZodNumber) {
    const { minValue, maxValue } = schema;
    return Number.isSafeInteger(maxValue) && maxValue !== Number.MAX_SAFE_INTEGER
      ? `${minValue} to ${maxValue}`
      : `${minValue} or more`;
  }
  if (schema instanceof z.ZodArray) return "list";
  if (schema instanceof z.ZodBoolean) return "`true`, `false`";
  return schema instanceof z.ZodString ? "text" : "group";
}

function defaultText(schema: Schema): string {
  if (schema instanceof z.ZodDefault) {
    return `; default \`${JSON.stringify(schema.def.defaultValue)}\``;
  }
  return schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault ? "" : "; required";
}

/** List items for the settings. Settings with the same text, e.g. in two members of a union, share one item. */
function items(all: ReturnType<typeof rows>): string[] {
  const named = new Map<string, string[]>();
  for (const [key, text] of all) named.set(text, [...(named.get(text) ?? []), `\`${key}\``]);
  return [...named].map(([text, keys]) => `- ${[...new Set(keys)].join(", ")} ${text}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const [file, text] of await schemaFiles()) await writeFile(file, text);
}
