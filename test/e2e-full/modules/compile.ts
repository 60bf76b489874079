import { cp } from "node:fs/promises";
import { execa } from "execa";
import * as z from "zod";

import { commandRunner } from "../../../host/command-runner.ts";
import type { BuildContext } from "../../../toolchain/artifact.ts";
import { parseJson } from "../../../toolchain/parse-json.ts";
import { goEnvironment } from "../../../toolchain/tools/go-build.ts";

/** Pins the modules of tests; what they need is pinned by their own `go.sum`. */
const pins = import.meta.dirname;

/** Longest time the compiler may take, in seconds: all of client-go on one slow core. */
const buildTimeoutSeconds = 1800;

/** A copy of a module, which `go.sum` has checked. @returns its version */
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

/** Compiles a program of a module's copy. */
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
