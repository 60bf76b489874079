import { cp } from "node:fs/promises";
import { execa } from "execa";
import * as z from "zod";

import { commandRunner } from "../../../host/command-runner.ts";
import type { BuildContext } from "../../../toolchain/artifact.ts";
import { parseJson } from "../../../toolchain/parse-json.ts";
import { goEnvironment } from "../../../toolchain/tools/go-build.ts";

/** Folder of the go.mod that pins the tests' modules, whose own `go.sum` pins their dependencies. */
const pins = import.meta.dirname;

/** Longest time the compiler may take, in seconds: all of client-go on one slow core. */
const buildTimeoutSeconds = 1800;

/** Copies a module after checking it against `go.sum`. @returns its version */
export async function copyModule(name: string, folder: string): Promise<string> {
  const { stdout } = await execa("go", ["mod", "download", "-json", name], {
    cwd: pins,
    env: goEnvironment(),
    timeout: 600_000,
  });
  const module = z.object({ Dir: z.string(), Version: z.string() }).parse(parseJson(stdout));
  await cp(module.Dir, folder, { recursive: true });
  return module.Version;
}

/** Compiles a program in a copy of a module. */
export async function compile(
  module: string,
  target: string,
  file: string,
  { logFile }: Pick<BuildContext, "logFile">,
): Promise<void> {
  await commandRunner(logFile)("go", ["build", "-ldflags", "-s -w", "-o", file, target], {
    cwd: module,
    env: goEnvironment(),
    timeoutSeconds: buildTimeoutSeconds,
  });
}
