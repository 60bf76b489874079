import * as z from "zod";
import { bare, metaOf } from "./schema-paths.ts";
import { existingSchema } from "./existing/settings.ts";
import { settingsSchema } from "./settings.ts";

type Schema = z.core.$ZodType;

const introduction = `# Settings

Written by \`node --import tsx config/write-settings-page.ts\`; a test keeps it current.

Settings are the sections below, under \`config:\` of \`Pulumi.<stack>.yaml\`, each with the prefix \`kindows:\`:

\`\`\`yaml
config:
  kindows:network:
    cidr: 192.168.150.0/24
  kindows:nodes:
    - name: win-1
\`\`\`

What is not written has its default. Every mistake is told at once, before anything is created: unknown keys, wrong
types, and whatever does not fit together; each with the setting, its value, why it can't be and what to
write instead, and without passwords, logins and keys. A file without any setting is a mistake, and so are keys below
another prefix than \`kindows:\` (or \`pulumi:\`), as nothing reads them. What is wrong with the host is told next
(preflight/).
`;

const existing = `
## Stacks of existing machines

With \`kindows:stack: existing\` (default: \`lab\`, all the above) a stack joins Windows machines that are there to a
cluster that is there (docs/existing.md). It has these sections, and no others:
`;

/** The page docs/settings.md. */
export function settingsPage(): string {
  return `${introduction}${sections(settingsSchema.shape, "##")}${existing}${sections(existingSchema.shape, "###")}`;
}

function sections(shape: Readonly<Record<string, Schema>>, level: string): string {
  return Object.entries(shape)
    .map(([name, schema]) => {
      const heading = `\n${level} kindows:${name}\n\n${metaOf(schema).description ?? ""}\n`;
      return `${heading}\n${table(rows(schema, ""))}`;
    })
    .join("");
}

interface Row {
  readonly key: string;
  readonly type: string;
  readonly fallback: string;
  readonly description: string;
}

/** Every setting below `schema`, depth first. */
function rows(schema: Schema, key: string): Row[] {
  const inner = bare(schema);
  if (inner instanceof z.ZodObject) {
    const entries = Object.entries<Schema>(inner.shape);
    return entries.flatMap(([name, below]) => [
      ...own(below, key === "" ? name : `${key}.${name}`),
      ...rows(below, key === "" ? name : `${key}.${name}`),
    ]);
  }
  if (inner instanceof z.ZodArray) {
    return rows(inner.element, `${key}[]`);
  }
  return inner instanceof z.ZodDiscriminatedUnion
    ? inner.options.flatMap((option) => member(option, key))
    : [];
}

/** The rows of one member of a union: what chooses it, with what it means, then its own settings. */
function member(option: Schema, key: string): Row[] {
  const below = rows(option, key);
  return below.map((row, index) =>
    index === 0 ? { ...row, description: metaOf(option).description ?? "" } : row,
  );
}

function own(schema: Schema, key: string): Row[] {
  const meta = metaOf(schema);
  const unit = meta.unit === undefined ? "" : ` (${meta.unit})`;
  return [
    {
      key,
      type: `${typeText(bare(schema))}${unit}`,
      fallback: meta.default ?? defaultText(schema),
      description: meta.description ?? "",
    },
  ];
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
  if (schema instanceof z.ZodArray) {
    return "list";
  }
  if (schema instanceof z.ZodBoolean) {
    return "`true`, `false`";
  }
  return schema instanceof z.ZodString ? "text" : "group";
}

function defaultText(schema: Schema): string {
  if (schema instanceof z.ZodDefault) {
    return `\`${JSON.stringify(schema.def.defaultValue)}\``;
  }
  return schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault ? "none" : "required";
}

function table(lines: readonly Row[]): string {
  const body = lines.map(
    ({ key, type, fallback, description }) =>
      `| \`${key}\` | ${type} | ${fallback} | ${description} |`,
  );
  return ["| Setting | Value | Default | Meaning |", "| --- | --- | --- | --- |", ...body, ""].join(
    "\n",
  );
}
