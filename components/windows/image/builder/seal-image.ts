import * as z from "zod";
import { CommandFailed, runOverSsh, type SshSource } from "../../../../ssh/run-over-ssh.ts";
import { parseJson } from "../../../../toolchain/parse-json.ts";
import { defaultRequirements } from "../../host-requirements.ts";
import { kindowsFolder, sealedAnswerFile } from "../config-disc-paths.ts";
import type { ImageSecrets } from "../image-disc.ts";
import { pullSeconds } from "../../steps.ts";
import { StageError } from "./build-stages.ts";
import { wayOutPort } from "./way-out-address.ts";
import { wayOutTo } from "./way-out.ts";

/** Looks at the Windows there is now; lies on the disc beside the script that the first logon starts. */
const buildScript = "Confirm-ImageBuild.ps1";

/** Runs the nodes' steps. */
const bakeScript = "Invoke-Bake.ps1";

/** The script that seals; sysprep comes after it. */
const lastScript = "Complete-Image.ps1";

/** Installing the feature Containers, unpacking containerd, on a slow disk, and pulling container images. */
const timeoutSeconds = 1500 + pullSeconds;

/** What a script ends with that has ordered a reboot, or has met one that still runs: see steps/lib/ExitCodes.ps1. */
const passing: readonly number[] = [75, 11];

const { minimumBuild, minimumRevision } = defaultRequirements;

/** Finds the scripts on whatever drive the disc is, and runs them; for cmd.exe, the SSH server's shell. */
export const sealCommand =
  "powershell.exe -NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -Command " +
  `"$folder = Get-PSDrive -PSProvider FileSystem | ForEach-Object { Join-Path $_.Root '${kindowsFolder}' } | ` +
  `Where-Object { Test-Path -LiteralPath (Join-Path $_ '${lastScript}') } | Select-Object -First 1; ` +
  `& (Join-Path $folder '${buildScript}') -MinimumBuild ${minimumBuild} -MinimumRevision ${minimumRevision}; ` +
  "if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }; " +
  `& (Join-Path $folder '${bakeScript}'); if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }; ` +
  `& (Join-Path $folder '${lastScript}') -SealedAnswerFile (Join-Path $folder '${sealedAnswerFile}'); ` +
  'exit $LASTEXITCODE"';

/** Which Windows is in an image. */
export interface ImageBuild {
  /** E.g. 20348. */
  readonly build: number;
  /** Number of the update that is in it (UBR), e.g. 2762. */
  readonly revision: number;
}

/** The result of the script that looks at Windows. */
const resultSchema = z.object({
  step: z.literal("Confirm-ImageBuild"),
  facts: z.object({ build: z.number(), revision: z.number() }),
});

/**
 * Has a prepared machine looked at, do what its nodes need, and sealed: it shuts itself down some seconds later.
 *
 * @param registries what the machine may reach besides the public Internet, as host and port.
 * @returns which Windows it has.
 * @throws StageError when a script failed; another error when it can't be reached (yet), reboots, or still runs the script
 * of a lost connection: then it is to be tried again, and goes on where it was.
 */
export async function sealImage(
  port: number,
  secrets: ImageSecrets,
  registries: ReadonlySet<string>,
): Promise<ImageBuild> {
  let output: string;
  try {
    output = await runOverSsh(builderLogin(port, secrets), sealCommand, timeoutSeconds, "", {
      port: wayOutPort,
      accept: wayOutTo(registries),
    });
  } catch (error) {
    throw sealingError(error);
  }
  return buildIn(output);
}

/** How the builder is logged in to. Emulated, or on a busy host, it may be silent for minutes and go on all the same. */
export function builderLogin(
  port: number,
  { loginKey, hostKey }: Pick<ImageSecrets, "loginKey" | "hostKey">,
): SshSource {
  return {
    host: "127.0.0.1",
    port,
    user: "Administrator",
    privateKey: loginKey.private,
    hostKey: hostKey.public,
    silentSeconds: 300,
  };
}

/** A StageError where a script failed for good, after which nothing is tried again. */
export function sealingError(error: unknown): unknown {
  return error instanceof CommandFailed && !passing.includes(error.exitCode)
    ? new StageError(`sealing failed: ${error.message}`, "What it says names the remedy.")
    : error;
}

/** @throws StageError where no line says it. */
export function buildIn(output: string): ImageBuild {
  for (const line of output.split("\n")) {
    const result = resultSchema.safeParse(parseJson(line));
    if (result.success) {
      return result.data.facts;
    }
  }
  throw new StageError(
    "the image is sealed, but no script said which Windows it has",
    "This kindows and the scripts on its disc do not fit together: build again.",
  );
}
