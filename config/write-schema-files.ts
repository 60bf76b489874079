import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { format, resolveConfig } from "prettier";
import { parseDocument } from "yaml";
import { settingsPage } from "./settings-page.ts";
import * as z from "zod";
import { existingSchema } from "./existing.ts";
import { bare, metaOf } from "./schema-paths.ts";
import { settingsSchema } from "./settings.ts";
import { stackKinds } from "./stack-sections.ts";

/** The files that follow from the settings' schema: path, and text. */
export async function schemaFiles(): Promise<readonly (readonly [file: string, text: string])[]> {
  const page = fileURLToPath(new URL("../docs/settings.md", import.meta.url));
  const projectFile = fileURLToPath(new URL("../Pulumi.yaml", import.meta.url));
  const project = parseDocument(await readFile(projectFile, "utf8"));
  project.set("config", projectConfig());
  return Promise.all(
    [
      [page, settingsPage()] as const,
      [projectFile, project.toString({ lineWidth: 0 })] as const,
    ].map(
      async ([file, text]) =>
        [file, await format(text, { ...(await resolveConfig(file)), filepath: file })] as const,
    ),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const [file, text] of await schemaFiles()) {
    await writeFile(file, text);
  }
}

type Schema = z.core.$ZodType;

/** What the engine may be told of a setting (pulumi/pulumi, sdk/go/common/workspace/project.json). */
interface ProjectConfigType {
  readonly type: "string" | "object" | "array";
  readonly items?: { readonly type: "object" };
  readonly description: string;
  /** Without one the setting would have to be written in every stack. */
  readonly default: unknown;
}

/**
 * The section `config:` of Pulumi.yaml: every setting by its name below the project's namespace. The engine refuses a
 * stack in which one has another type; it knows no schema of what is inside, which the program checks.
 */
export function projectConfig(): Readonly<Record<string, ProjectConfigType>> {
  const sections = { ...existingSchema.shape, ...settingsSchema.shape };
  return {
    stack: {
      type: "string",
      description: `What the stack is: ${stackKinds.join(" or ")}.`,
      default: stackKinds[0],
    },
    ...Object.fromEntries(
      Object.entries<Schema>(sections)
        .map(([name, schema]) => [name, section(schema)] as const)
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
  };
}

/** Left out, a section is empty: what is in it has defaults of its own. */
function section(schema: Schema): ProjectConfigType {
  const { description = "" } = metaOf(schema);
  return bare(schema) instanceof z.ZodArray
    ? { type: "array", items: { type: "object" }, description, default: [] }
    : { type: "object", description, default: {} };
}
