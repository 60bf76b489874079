import { builtTool } from "../../toolchain/built.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { prepareEngine } from "../../toolchain/prepare-engine.ts";
import { engineEnvironment, unwantedVariables } from "../engine/environment.ts";
import { ensureLocalState } from "../engine/local-state.ts";
import { say } from "../progress.ts";
import type { PreviewTools } from "./preview.ts";

/**
 * Puts the engine and its plugins in place: all that a preview needs which asks no daemon.
 *
 * @param signal ends previews.
 */
export async function previewTools(signal: AbortSignal): Promise<PreviewTools> {
  await prepareEngine([], {
    progress: say,
    ensurePackages: (names) => ensureHostPackages(names, say),
  });
  await ensureLocalState();
  const environment: NodeJS.ProcessEnv = { ...process.env, ...engineEnvironment(process.env) };
  for (const name of unwantedVariables) {
    delete environment[name];
  }
  return { program: builtTool("pulumi"), environment, signal };
}

/** Aborted by the first ^C: what was made in temporary folders is removed before the command ends. */
export function endedByUser(): AbortSignal {
  const end = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => end.abort());
  }
  return end.signal;
}
