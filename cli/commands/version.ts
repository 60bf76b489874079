import { readFile } from "node:fs/promises";
import path from "node:path";
import { runProgram } from "../../host/run-program.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { kubernetesVersion, pulumi } from "../../toolchain/tools/table.ts";

/** `kindows --version`. */
export async function version(): Promise<void> {
  const text = await readFile(path.join(projectRoot, "package.json"), "utf8");
  const kindows = JSON.parse(text) as { readonly version: string };
  const git = ["-C", projectRoot, "rev-parse", "--short=10", "HEAD"];
  const commit = await runProgram("git", git, 10);
  const lines = [
    `kindows ${kindows.version}`,
    `commit ${commit.how === "well" ? commit.stdout.trim() : "unknown: this folder is no clone"}`,
    `engine: Pulumi ${pulumi.tool.version}`,
    `Kubernetes ${kubernetesVersion}`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}
