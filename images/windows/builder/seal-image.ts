import * as z from "zod";
import { CommandFailed, runOverSsh, type SshSource } from "../../../host/ssh/run-over-ssh.ts";
import { parseJson } from "../../../toolchain/parse-json.ts";
import { defaultRequirements } from "../../../components/windows/host-requirements.ts";
import { kindowsFolder, sealedAnswerFile } from "../answer-file.ts";
import type { ImageSecrets } from "../image-disc.ts";
import { powerShellCommand } from "../../../host/ssh/windows-command.ts";
import { pullSeconds } from "../../../components/windows/steps.ts";
import { imageScriptsSeconds } from "../bake.ts";
import { StageError } from "./build-stages.ts";
import { wayOutPort, wayOutTo } from "./way-out.ts";

/**
 * Time for installing the feature Containers and unpacking containerd on a slow disk, for the user's scripts, and for
 * pulling container images.
 */
const sealSeconds = 1500 + imageScriptsSeconds + pullSeconds;

/** Exit codes of a script that has ordered a reboot, or found another script still running; see steps/lib/Step.ps1. */
const retriableExitCodes: readonly number[] = [75, 11];

const { minimumBuild, minimumRevision } = defaultRequirements;

const confirm =
  `& (Join-Path $folder 'Confirm-ImageBuild.ps1') -MinimumBuild ${minimumBuild} -MinimumRevision ${minimumRevision}; ` +
  "if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }; ";

/**
 * Finds the scripts on the disc's drive and runs them. The user's scripts may have left a reboot pending, with which
 * sysprep refuses to seal. The shell is cmd.exe, as nobody has set another yet.
 */
export const sealCommand = powerShellCommand(
  `$folder = Get-PSDrive -PSProvider FileSystem | ForEach-Object { Join-Path $_.Root '${kindowsFolder}' } | ` +
    `Where-Object { Test-Path -LiteralPath (Join-Path $_ 'Complete-Image.ps1') } | Select-Object -First 1; ` +
    confirm +
    `& (Join-Path $folder 'Invoke-Bake.ps1'); if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }; ` +
    confirm +
    `& (Join-Path $folder 'Complete-Image.ps1') -SealedAnswerFile (Join-Path $folder '${sealedAnswerFile}'); ` +
    "exit $LASTEXITCODE",
);

const resultSchema = z.object({
  step: z.literal("Confirm-ImageBuild"),
  facts: z.object({ build: z.number(), revision: z.number() }),
});

/** The Windows version in an image: its build, e.g. 20348, and update revision (UBR), e.g. 2762. */
export type ImageBuild = z.infer<typeof resultSchema>["facts"];

/**
 * Checks a prepared machine, runs the baked steps, and seals it. The machine shuts down some seconds later.
 *
 * @param registries registries that the machine may reach besides the public internet, as host and port.
 * @returns the Windows version.
 * @throws StageError if a script failed. Any other error can be retried and continues where it was: the machine cannot
 * be reached (yet), reboots, or still runs the script of a lost connection.
 */
export async function sealImage(
  port: number,
  { loginKey, hostKey }: ImageSecrets,
  registries: ReadonlySet<string>,
): Promise<ImageBuild> {
  const proxy = { port: wayOutPort, accept: wayOutTo(registries) };
  const login: SshSource = {
    host: "127.0.0.1",
    port,
    user: "Administrator",
    privateKey: loginKey.private,
    hostKey: hostKey.public,
    // An emulated machine, or one on a busy host, may send nothing for minutes.
    silentSeconds: 300,
  };
  try {
    return buildIn(await runOverSsh(login, sealCommand, sealSeconds, { forward: proxy }));
  } catch (error) {
    throw sealingError(error);
  }
}

/** Turns the error of a script that failed for good into a StageError, which is not retried. */
export function sealingError(error: unknown): unknown {
  return error instanceof CommandFailed && !retriableExitCodes.includes(error.exitCode)
    ? new StageError(`sealing failed: ${error.message}`, "The script's message names the remedy.")
    : error;
}

/**
 * Finds the Windows version in the scripts' output.
 *
 * @throws StageError if no line has it.
 */
export function buildIn(output: string): ImageBuild {
  for (const line of output.split("\n")) {
    const result = resultSchema.safeParse(parseJson(line));
    if (result.success) return result.data.facts;
  }
  throw new StageError(
    "the image is sealed, but no script reported its Windows version",
    "The scripts on the disc do not match this version of kindows. Build the image again.",
  );
}
