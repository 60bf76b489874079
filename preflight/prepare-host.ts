import { getStack } from "@pulumi/pulumi";
import { RunError } from "@pulumi/pulumi/errors.js";
import { execa } from "execa";
import { labVariable } from "../config/names.ts";
import { projectRoot } from "../toolchain/project.ts";

/**
 * Puts in place what the lab takes on this host, for plain `pulumi up`: every `kindows` command that starts the engine
 * has done so before.
 *
 * @throws RunError when something can't be had; what it is stands before it, line by line.
 */
export async function prepareHost(): Promise<void> {
  if (process.env[labVariable] !== undefined) {
    return;
  }
  const prepare = ["prepare", "--stack", getStack()];
  const { failed } = await execa(
    process.execPath,
    ["toolchain/program/run.js", "cli/main.ts", ...prepare],
    { cwd: projectRoot, stdio: ["ignore", "ignore", "inherit"], reject: false },
  );
  if (failed) {
    throw new RunError(
      `this host is not ready: see above, or run \`./kindows ${prepare.join(" ")}\``,
    );
  }
}
