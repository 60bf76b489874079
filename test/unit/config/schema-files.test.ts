import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import * as z from "zod";
import { existingSchema } from "../../../config/existing.ts";
import { jsonSchemaName } from "../../../config/json-schema.ts";
import { metaOf } from "../../../config/schema-paths.ts";
import { settingsSchema } from "../../../config/settings.ts";
import { eachCase } from "../each-case.ts";
import { schemaFiles } from "../../../config/write-schema-files.ts";

const repository = new URL("../../../", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, repository), "utf8");

describe("the schema for editors", () => {
  type Schema = z.core.JSONSchema.JSONSchema;
  const whole = JSON.parse(read(jsonSchemaName)) as { properties: { config: Schema } };
  const { then: existing = {}, else: lab = {} } = whole.properties.config;
  const stacks = readdirSync(repository).filter((name) => /^Pulumi\.(?!e2e)\w.*\.yaml$/.test(name));

  /** Whether it takes what is below `config:`. */
  function takes(config: Readonly<Record<string, unknown>>): boolean {
    const schema = config["kindows:stack"] === "existing" ? existing : lab;
    return z.fromJSONSchema(schema).safeParse(config).success;
  }

  for (const stack of stacks) {
    it(`is named by ${stack}, which it takes`, () => {
      const text = read(stack);
      assert.ok(text.startsWith(`# yaml-language-server: $schema=${jsonSchemaName}\n`));
      const { config } = parse(text) as { config: Readonly<Record<string, unknown>> };
      assert.ok(takes(config));
    });
  }

  const nodes = (node: object): Readonly<Record<string, unknown>> => ({ "kindows:nodes": [node] });
  eachCase<readonly [config: Readonly<Record<string, unknown>>, isTaken: boolean]>(
    "knows %s",
    {
      "a setting": [nodes({ name: "win-1", cpus: 4 }), true],
      "a misspelt setting": [nodes({ name: "win-1", cpu: 4 }), false],
      "a setting that is missing": [nodes({ cpus: 4 }), false],
      "another type": [nodes({ name: "win-1", cpus: "four" }), false],
      "a value that is none of the choices": [nodes({ name: "win-1", os: "beos" }), false],
      "an encrypted key": [{ "kindows:login": { privateKey: { secure: "v1:..." } } }, true],
      "a provider's setting": [{ "aws:region": "eu-north-1" }, true],
      "the other kind of stack": [
        { "kindows:stack": "existing", "kindows:cluster": { controlPlanes: 3 } },
        false,
      ],
    },
    ([config, isTaken]) => assert.equal(takes(config), isTaken),
  );
});

describe("docs/settings.md, `config:` in Pulumi.yaml and kindows-schema.json", () => {
  it("match the schema; if not, run `node --import tsx config/write-schema-files.ts`", async () => {
    for (const [file, text] of await schemaFiles()) assert.equal(readFileSync(file, "utf8"), text);
  });
});

describe("placeholders of settings", () => {
  eachCase(
    "of %s are what the schema takes",
    { labs: settingsSchema, existing: existingSchema },
    (schema) => {
      let count = 0;
      z.toJSONSchema(schema, {
        ...({ io: "input", unrepresentable: "any" } as const),
        override: ({ zodSchema, path }) => {
          const { placeholder } = metaOf(zodSchema);
          if (placeholder === undefined) return;
          count += 1;
          for (const index of [0, 1, 99]) {
            const result = z.safeParse(zodSchema, placeholder(index));
            assert.ok(result.success, `${path.join(".")}: ${result.error?.message}`);
          }
        },
      });
      assert.ok(count > 10);
    },
  );
});
