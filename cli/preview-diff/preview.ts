import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import { parseDocument } from "yaml";

import { backendUrl, ensureLocalState } from "../engine/folders.ts";
import { initArguments } from "../engine/pulumi.ts";
import { Failure } from "../../host/failure.ts";
import { readPreview, type Previewed } from "../../policy/previewed.ts";
import { builtTool } from "../../toolchain/built.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { prepareEngine } from "../engine/prepare-engine.ts";
import { engineProcessEnvironment } from "../engine/environment.ts";
import { say } from "../progress.ts";

/** Longest time for one preview, which needs no network and takes seconds. */
const previewSeconds = 300;

export interface PreviewTools {
  readonly program: string;
  /** Its environment, without backend and passphrase, which each preview sets itself. */
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/**
 * Previews a stack with a temporary empty state. Neither the stack's real state nor its settings file is written.
 *
 * @param project folder with Pulumi.yaml and Pulumi.<stack>.yaml.
 * @throws Failure with the errors of the engine and the program, if the preview fails.
 */
export async function previewOf(
  project: string,
  stack: string,
  { program, environment, signal }: PreviewTools,
): Promise<Previewed> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-preview-"));
  try {
    const state = path.join(folder, "state");
    const settings = path.join(folder, `Pulumi.${stack}.yaml`);
    await mkdir(state);
    const written = await readFile(path.join(project, `Pulumi.${stack}.yaml`), "utf8");
    const { text, sealed } = withoutSeal(written);
    await writeFile(settings, text);
    await copyFile(path.join(project, "Pulumi.yaml"), path.join(folder, "Pulumi.yaml"));
    const run = async (cwd: string, args: readonly string[]): Promise<string> => {
      const result = await execa(
        "setpriv",
        // The engine must not outlive this process.
        ["--pdeathsig", "KILL", program, ...args, "--non-interactive", "--stack", stack],
        {
          cwd,
          env: {
            ...environment,
            PULUMI_BACKEND_URL: backendUrl(state),
            ...(!sealed && { PULUMI_CONFIG_PASSPHRASE: "" }),
            KINDOWS_PREVIEW: "anywhere",
          },
          extendEnv: false,
          reject: false,
          stdin: "ignore",
          timeout: previewSeconds * 1000,
          cancelSignal: signal,
          maxBuffer: 256 * 1024 * 1024,
        },
      );
      if (result.failed) {
        const { stdout = "", stderr = "", shortMessage = "the engine failed" } = result;
        throw new Failure(reasonOf(stdout, stderr.trim() || shortMessage, project));
      }
      return result.stdout;
    };
    // In a temporary folder, as the engine would write into the stack's settings file.
    await run(folder, initArguments(text));
    return readPreview(
      await run(project, ["preview", "--json", "--config-file", settings]),
      project,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Settings for the empty passphrase, if nothing in them is encrypted; otherwise unchanged, and the engine asks for the
 * passphrase.
 */
function withoutSeal(text: string): { readonly text: string; readonly sealed: boolean } {
  if (/^\s+(?:- )?secure:/m.test(text)) return { text, sealed: true };
  const document = parseDocument(text);
  for (const key of ["encryptionsalt", "secretsprovider", "encryptedkey"]) {
    document.delete(key);
  }
  return { text: String(document), sealed: false };
}

/** Why a preview failed: the program's own errors if there are any, else the engine's error output. */
function reasonOf(stdout: string, errorText: string, project: string): string {
  let reason = errorText;
  try {
    const { diagnostics } = readPreview(stdout, project);
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    reason = errors.map(({ message }) => message.trim()).join("\n") || errorText;
  } catch {
    // The engine ended before it wrote a preview.
  }
  return reason.replaceAll(project, ".");
}

/**
 * Installs the engine and its plugins, which is all that a preview needs, without any daemon.
 *
 * @param signal stops previews.
 */
export async function previewTools(signal: AbortSignal): Promise<PreviewTools> {
  await prepareEngine([], {
    progress: say,
    ensurePackages: (names) => ensureHostPackages(names, say),
  });
  await ensureLocalState();
  return { program: builtTool("pulumi"), environment: engineProcessEnvironment(), signal };
}
