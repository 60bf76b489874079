/** `make sdk` writes sdks/libvirt; with `--check` it only compares, and fails if a file differs. */
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";

import { ensureArtifacts } from "../ensure.ts";
import { projectRoot } from "../project.ts";
import { assemblePulumiHome, libvirtLinks } from "../pulumi-home.ts";
import { gensdk, pulumi, terraformBridge, terraformProviderLibvirt } from "../tools/table.ts";

const timeoutMilliseconds = 120_000;

const target = path.join(projectRoot, "sdks", "libvirt");
const work = await mkdtemp(path.join(os.tmpdir(), "kindows-sdk-"));
try {
  const fresh = path.join(work, "sdk");
  await generateSdk(fresh);
  // Compiled files and installed packages are not compared.
  const others = ["--exclude=bin", "--exclude=node_modules"];
  const { exitCode = 2, all } = await execa("diff", ["-rq", ...others, target, fresh], {
    all: true,
    reject: false,
  });
  if (exitCode > 1) throw new Error(all);
  if (exitCode === 0) {
    process.stderr.write("sdks/libvirt matches the pinned provider\n");
  } else if (process.argv.includes("--check")) {
    process.stderr.write(
      `${all}\nsdks/libvirt does not match the pinned provider: run \`make sdk\` and commit it\n`,
    );
    process.exitCode = 1;
  } else {
    for (const name of await readdir(target)) {
      await rm(path.join(target, name), { recursive: true });
    }
    await cp(fresh, target, { recursive: true });
    process.stderr.write(`${all}\nsdks/libvirt regenerated\n`);
  }
} finally {
  await rm(work, { recursive: true, force: true });
}

/** Generates the SDK of the pinned libvirt provider, whose schema comes from the provider through engine and bridge. */
async function generateSdk(into: string): Promise<void> {
  const tools = [pulumi, terraformBridge, terraformProviderLibvirt, gensdk];
  const ensured = await ensureArtifacts(tools);
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
  await mkdir(into);
  await execa(path.join(ensured.path(gensdk), "gensdk"), [schemaFile, into], {
    timeout: timeoutMilliseconds,
  });
}
