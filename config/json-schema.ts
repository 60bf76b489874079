import * as z from "zod";
import { existingSchema } from "./existing.ts";
import { metaOf } from "./schema-paths.ts";
import { settingsSchema } from "./settings.ts";
import { namespace, stackKinds } from "./stack-sections.ts";

/** Where the schema is, beside the stacks' files, which name it in their first line. */
export const jsonSchemaName = "kindows-schema.json";

/** Settings that may be encrypted (`pulumi config set --secret`). */
const sealable: readonly unknown[] = ["privateKey", "privateKeyPassphrase", "text"];

/**
 * The JSON schema of a stack's file, for editors: they complete settings, and show what they mean and where one is
 * misspelt. What depends on other settings or on the host is checked by kindows alone.
 */
export function stackFileSchema(): object {
  const [lab, existing] = stackKinds;
  const isExisting = {
    properties: { [`${namespace}:stack`]: { const: existing } },
    required: [`${namespace}:stack`],
  };
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "A stack of kindows",
    type: "object",
    properties: {
      config: {
        type: "object",
        properties: {
          [`${namespace}:stack`]: {
            description: `Kind of the stack. Default: ${lab}.`,
            enum: stackKinds,
          },
        },
        if: isExisting,
        then: sections(existingSchema),
        else: sections(settingsSchema),
      },
    },
  };
}

/** The sections with their prefix. Other names may be those of providers. */
function sections(schema: z.ZodObject): object {
  const { properties = {} } = z.toJSONSchema(schema, {
    ...({ io: "input", target: "draft-7", unrepresentable: "any" } as const),
    override: ({ zodSchema, jsonSchema, path }) => {
      const { unit, default: inWords, description } = metaOf(zodSchema);
      const said = [description, unit && `Unit: ${unit}.`, inWords && `Default: ${inWords}.`];
      const text = said.filter(Boolean).join(" ");
      for (const key of ["placeholder", "unit", "description"]) delete jsonSchema[key];
      if (text !== "") jsonSchema.description = text;
      // In words, it is no value of the setting.
      if (inWords !== undefined) delete jsonSchema.default;
      if (sealable.includes(path.at(-1)) && jsonSchema.type === "string") {
        delete jsonSchema.type;
        const secure = { type: "string" } as const;
        jsonSchema.anyOf = [
          { type: "string" },
          { type: "object", properties: { secure }, required: ["secure"] },
        ];
      }
    },
  });
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [`${namespace}:${name}`, each]),
    ),
  };
}
