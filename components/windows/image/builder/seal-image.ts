import * as z from "zod";
import { CommandFailed, runOverSsh, type SshSource } from "../../../../ssh/run-over-ssh.ts";
import { parseJson } from "../../../../toolchain/parse-json.ts";
import { defaultRequirements } from "../../host-requirements.ts";
import { kindowsFolder, sealedAnswerFile } from "../answer-file.ts";
import type { ImageSecrets } from "../image-disc.ts";
import { pullSeconds } from "../../steps.ts";
import { StageError } from "./build-stages.ts";
import { wayOutPort, wayOutTo } from "./way-out.ts";

/** Installing the feature Containers, unpacking containerd, on a slow disk, and pulling container images. */
const timeoutSeconds = 1500 + pullSeconds;

/** Exit codes of a script that has requested a reboot, or found another script still running: see steps/lib/Step.ps1. */
const passing: readonly number[] = [75, 11];

const { minimumBuild, minimumRevision } = defaultRequirements;

/** Finds the scripts on the disc's drive and runs them; for cmd.exe, the SSH server's shell. */
export const sealCommand =
  "powershell.exe -NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -Command " +
  `"$folder = Get-PSDrive -PSProvider FileSystem | ForEach-Object { Join-Path $_.Root '${kindowsFolder}' } | ` +
  `Where-Object { Test-Path -LiteralPath (Join-Path $_ 'Complete-Image.ps1') } | Select-Object -First 1; ` +
  `& (Join-Path $folder 'Confirm-ImageBuild.ps1') -MinimumBuild ${minimumBuild} -MinimumRevision ${minimumRevision}; ` +
  "if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }; " +
  `& (Join-Path $folder 'Invoke-Bake.ps1'); if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }; ` +
  `& (Join-Path $folder 'Complete-Image.ps1') -SealedAnswerFile (Join-Path $folder '${sealedAnswerFile}'); ` +
  'exit $LASTEXITCODE"';

const resultSchema = z.object({
  step: z.literal("Confirm-ImageBuild"),
  facts: z.object({ build: z.number(), revision: z.number() }),
});

/** The Windows version in an image: its build, e.g. 20348, and update revision (UBR), e.g. 2762. */
export type ImageBuild = z.infer<typeof resultSchema>["facts"];

/**
 * Checks a prepared machine, runs the steps of its nodes, and seals it: it shuts down some seconds later.
 *
 * @param registries that the machine may reach besides the public internet, as host and port.
 * @returns its Windows version.
 * @throws StageError if a script failed; another error if it cannot be reached (yet), reboots, or still runs the script of a
 * lost connection: then a retry continues where it was.
 */
export async function sealImage(
  port: number,
  { loginKey, hostKey }: ImageSecrets,
  registries: ReadonlySet<string>,
): Promise<ImageBuild> {
  const way = { port: wayOutPort, accept: wayOutTo(registries) };
  const login: SshSource = {
    host: "127.0.0.1",
    port,
    user: "Administrator",
    privateKey: loginKey.private,
    hostKey: hostKey.public,
    // Emulated, or on a busy host, it may say nothing for minutes.
    silentSeconds: 300,
  };
  try {
    return buildIn(await runOverSsh(login, sealCommand, timeoutSeconds, "", way));
  } catch (error) {
    throw sealingError(error);
  }
}

/** A StageError if a script failed for good, so that there is no retry. */
export function sealingError(error: unknown): unknown {
  return error instanceof CommandFailed && !passing.includes(error.exitCode)
    ? new StageError(`sealing failed: ${error.message}`, "What it says names the remedy.")
    : error;
}

/** @throws StageError if no line says it. */
export function buildIn(output: string): ImageBuild {
  for (const line of output.split("\n")) {
    const result = resultSchema.safeParse(parseJson(line));
    if (result.success) return result.data.facts;
  }
  throw new StageError(
    "the image is sealed, but no script said which Windows it has",
    "This kindows and the scripts on its disc do not fit together: build again.",
  );
}
