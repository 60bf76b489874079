import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { backendUrl } from "../../../cli/engine/backend-url.ts";
import { Pulumi } from "../../../cli/engine/pulumi.ts";
import { labVariable } from "../../../cli/lab/processes.ts";
import { parseDeployment, resourcesOf } from "../../../cli/recovery/deployment.ts";
import { pulumiHome } from "../plugins/support/installed-plugins.ts";
import { findTool } from "../plugins/support/tool.ts";

const repository = path.resolve(import.meta.dirname, "../../..");

/** A Pulumi project in a temporary folder, for the CLI's own way of running the engine. */
export interface ScratchProject {
  readonly folder: string;
  /** Lab whose marker the engine's processes carry; different for each project. */
  readonly lab: string;
  readonly pulumi: Pulumi;
  /** Replaces the program: the body of an ES module that has `Command`, `pulumi` and `file(name)`. */
  program(body: string): Promise<void>;
  /** Names of the resources in the state, the stack and providers left out. */
  resources(): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

let count = 0;

/** Makes a project with one stack. */
export async function scratchProject(): Promise<ScratchProject> {
  count += 1;
  const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-recovery-"));
  const state = path.join(folder, "state");
  await mkdir(state);
  await symlink(path.join(repository, "node_modules"), path.join(folder, "node_modules"));
  await writeFile(path.join(folder, "package.json"), '{ "type": "module", "main": "index.js" }');
  await writeFile(
    path.join(folder, "Pulumi.yaml"),
    "name: test\nruntime: { name: nodejs, options: { typescript: false } }\n",
  );
  const lab = `kindows-engine-test-${process.pid}-${count}`;
  const pulumi = new Pulumi("dev", {
    project: folder,
    program: findTool("pulumi"),
    environment: {
      ...process.env,
      PULUMI_HOME: pulumiHome(),
      PULUMI_BACKEND_URL: backendUrl(state),
      PULUMI_CONFIG_PASSPHRASE: "recovery-test",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
      PULUMI_IGNORE_AMBIENT_PLUGINS: "true",
      [labVariable]: lab,
    },
    lockFolder: path.join(state, ".pulumi", "locks", "organization", "test", "dev"),
  });
  await pulumi.state(["stack", "init"]);
  return {
    folder,
    lab,
    pulumi,
    program: (body) =>
      writeFile(
        path.join(folder, "index.js"),
        `import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
const { Command } = local;
const file = (name) => ${JSON.stringify(folder)} + "/" + name;
${body}`,
      ),
    resources: async () =>
      resourcesOf(parseDeployment(await pulumi.state(["stack", "export"])))
        .filter(({ type }) => !type.startsWith("pulumi:"))
        .map(({ urn }) => urn.slice(urn.lastIndexOf("::") + 2)),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}
