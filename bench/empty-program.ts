import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { projectRoot } from "../toolchain/project.ts";
import { inEngineShell } from "./bench-lab.ts";

/**
 * A Pulumi project whose program does nothing: what a preview costs at least. It is what `pulumi new javascript` gives,
 * which loads the SDK, without TypeScript, which would cost it another second.
 *
 * @returns its folder, with a stack `empty` that is up, and how to remove it.
 */
export async function emptyProgram(): Promise<{
  readonly folder: string;
  readonly dispose: () => Promise<void>;
}> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-empty-"));
  await symlink(path.join(projectRoot, "node_modules"), path.join(folder, "node_modules"));
  await writeFile(path.join(folder, "package.json"), '{"main": "index.js"}');
  await writeFile(
    path.join(folder, "Pulumi.yaml"),
    "name: empty\nruntime: {name: nodejs, options: {typescript: false}}\n",
  );
  await writeFile(
    path.join(folder, "index.js"),
    '"use strict";\nconst pulumi = require("@pulumi/pulumi");\n',
  );
  const pulumi = `pulumi --cwd ${folder} --non-interactive`;
  await inEngineShell(
    `${pulumi} stack init empty && ${pulumi} up --yes --skip-preview --stack empty`,
  );
  return {
    folder,
    dispose: async () => {
      await inEngineShell(
        `${pulumi} destroy --yes --skip-preview --stack empty && ${pulumi} stack rm --yes empty`,
      );
      await rm(folder, { recursive: true, force: true });
    },
  };
}
