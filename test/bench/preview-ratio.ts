import { benchLab, inEngineShell } from "./bench-lab.ts";
import { inTurn, type Ratio } from "./report.ts";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { projectRoot } from "../../toolchain/project.ts";

/** A preview without changes, of a lab that is up, over the preview of an empty program. */
export async function previewRatio(): Promise<Ratio> {
  const folder = await emptyProgram();
  const pulumi = `pulumi --cwd ${folder} --non-interactive`;
  const change = "--yes --skip-preview --stack empty";
  await inEngineShell(`${pulumi} stack init empty && ${pulumi} up ${change}`);
  const lab = `pulumi preview --stack ${benchLab.stack} --expect-no-changes --non-interactive`;
  const nothing = `${pulumi} preview --stack empty`;
  try {
    const times = await inTurn(
      { what: "preview without changes", seconds: () => shellSeconds(lab) },
      { what: "preview of an empty program", seconds: () => shellSeconds(nothing) },
    );
    return { what: "preview without changes / empty program", ...times, aim: "at most 1.5" };
  } finally {
    await inEngineShell(`${pulumi} destroy ${change} && ${pulumi} stack rm --yes empty`);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Seconds that a command takes, without the shell that sets its environment. */
async function shellSeconds(command: string): Promise<number> {
  const { output } = await inEngineShell(`TIMEFORMAT="took %R"; time ${command}`);
  const took = /^took ([0-9.]+)$/m.exec(output)?.[1];
  if (took === undefined) throw new Error(`the shell did not print how long \`${command}\` took`);
  return Number(took);
}

/**
 * A Pulumi project whose program does nothing, for the least that a preview costs. Like `pulumi new javascript`, it
 * loads the SDK, but not TypeScript, which would take another second.
 */
async function emptyProgram(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-empty-"));
  await symlink(path.join(projectRoot, "node_modules"), path.join(folder, "node_modules"));
  const files = {
    "package.json": '{"main": "index.js"}',
    "Pulumi.yaml": "name: empty\nruntime: {name: nodejs, options: {typescript: false}}\n",
    "index.js": '"use strict";\nconst pulumi = require("@pulumi/pulumi");\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  return folder;
}
