import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";

import { ensureArtifacts } from "../ensure.ts";
import { assemblePulumiHome, libvirtLinks } from "../pulumi-home.ts";
import { gensdk, pulumi, terraformBridge, terraformProviderLibvirt } from "../tools/table.ts";

const timeoutMilliseconds = 120_000;

/** Generates the SDK of the pinned libvirt provider, whose schema comes from the provider through engine and bridge. */
export async function generateLibvirtSdk(into: string): Promise<void> {
  const tools = [pulumi, terraformBridge, terraformProviderLibvirt, gensdk];
  const ensured = await ensureArtifacts(tools);
  const work = await mkdtemp(path.join(os.tmpdir(), "kindows-sdk-"));
  try {
    const home = path.join(work, "home");
    await assemblePulumiHome(libvirtLinks(ensured), home);
    const { stdout: schema } = await execa(
      path.join(ensured.path(pulumi), "pulumi"),
      [
        ...["package", "get-schema", `terraform-provider@${terraformBridge.tool.version}`],
        ...["dmacvicar/libvirt", terraformProviderLibvirt.tool.version],
      ],
      {
        cwd: work,
        env: {
          PULUMI_HOME: home,
          PULUMI_SKIP_UPDATE_CHECK: "true",
          PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
          PULUMI_IGNORE_AMBIENT_PLUGINS: "true",
        },
        stdin: "ignore",
        timeout: timeoutMilliseconds,
      },
    );
    const schemaFile = path.join(work, "schema.json");
    await writeFile(schemaFile, schema);
    await mkdir(into, { recursive: true });
    await execa(path.join(ensured.path(gensdk), "gensdk"), [schemaFile, into], {
      timeout: timeoutMilliseconds,
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

export async function differingFiles(one: string, other: string): Promise<readonly string[]> {
  const [first, second] = await Promise.all([contents(one), contents(other)]);
  return [...new Set([...first.keys(), ...second.keys()])]
    .filter((file) => first.get(file) !== second.get(file))
    .sort();
}

async function contents(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.relative(folder, path.join(entry.parentPath, entry.name));
    if (entry.isFile() && !/^(bin|node_modules)\//.test(file)) {
      found.set(file, await readFile(path.join(folder, file), "utf8"));
    }
  }
  return found;
}
