import type { StepContext, StepOutcome } from "../step.ts";
import { StepError } from "../step-error.ts";
import { isChecked, noteChecked } from "./checked-program.ts";
import { editContainerdConfig } from "./containerd-config.ts";
import { containerdLogPath, startContainerd } from "./containerd-service.ts";
import { installCrictl } from "./crictl.ts";
import { setDefenderExclusion } from "./defender-exclusion.ts";
import { expandTarArchive, moveFileIntoPlace, removeReplacedFiles } from "./file-placement.ts";
import { startJoinedKubelet } from "./kubelet-service.ts";
import { setServiceProxy } from "./machine-proxy.ts";
import { assertMedium } from "./media.ts";
import { runNative } from "./native-command.ts";
import { setRegistryMirrors } from "./registry-mirror.ts";

const folder = "C:\\Program Files\\containerd";
const program = `${folder}\\containerd.exe`;
const configPath = `${folder}\\config.toml`;
/** Written when the archive has been unpacked to its end: what is half unpacked lacks it. */
const markPath = `${folder}\\unpacked.sha256`;
/** What the program gave as its default configuration when it was asked. */
const defaultPath = `${folder}\\default.toml`;
const registryFolder = `${folder}\\certs.d`;
/** What Defender leaves alone. */
const exclusions = [
  folder,
  "C:\\ProgramData\\containerd",
  "C:\\opt\\cni\\bin",
  program,
  `${folder}\\containerd-shim-runhcs-v1.exe`,
  `${folder}\\ctr.exe`,
];

/** Unpacks, configures, registers and starts the real containerd.exe. */
export async function installContainerd(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  const { services } = host;
  const version = parameters.text("Version");
  const pauseImage = parameters.text("PauseImage");

  const feature = host.settings.featureState("Containers");
  if (feature !== "Installed") {
    throw new StepError(
      "FeatureMissing",
      `The feature Containers is ${feature}.`,
      "Run Enable-ContainersFeature and Confirm-Reboot first.",
    );
  }

  const wanted = parameters.integer("DefenderExclusions") === 1;
  const exclusion = await setDefenderExclusion(host, wanted, exclusions);
  let changed = exclusion.changed;

  const registered = services.get("containerd") !== undefined;
  const archiveFrom = await unpack(context, registered);
  if (archiveFrom !== "installed") changed = true;
  await removeReplacedFiles(host, folder);
  await askProgram(context, version);
  const crictl = await installCrictl(context, folder);
  if (crictl.changed) changed = true;
  if (await host.settings.addToPath(folder)) changed = true;
  const mirrors = parameters.text("RegistryMirrors");
  if (await setRegistryMirrors(host.drive, registryFolder, mirrors)) changed = true;
  const defaultConfig = (await host.drive.readText(defaultPath)) ?? "";
  if (await configure(context, defaultConfig, pauseImage, mirrors !== "")) changed = true;
  if (!registered) {
    // What `containerd.exe --register-service --config ... --log-file ...` makes.
    await services.configure("containerd", {
      commandLine: `"${program}" --run-service --config "${configPath}" --log-file ${containerdLogPath}`,
      displayName: "Containerd",
      description: "Container runtime",
      startType: "auto",
      dependsOn: [],
      restarts: true,
    });
    changed = true;
  }
  if (await setServiceProxy(host, "containerd")) changed = true;
  if (!(await services.isRunning("containerd"))) changed = true;
  await startContainerd(context);
  await startJoinedKubelet(context);
  return {
    changed,
    facts: {
      version,
      pauseImage,
      archiveFrom,
      crictlFrom: crictl.state,
      defenderExclusions: exclusion.state,
    },
  };
}

async function unpack(context: StepContext, registered: boolean): Promise<"installed" | "media"> {
  const { host, parameters } = context;
  const { drive, services } = host;
  const sha256 = parameters.text("ArchiveSha256").toLowerCase();
  if ((await drive.readText(markPath))?.trim().toLowerCase() === sha256) return "installed";

  const archive = parameters.text("ArchivePath");
  await assertMedium(context, archive, sha256);
  const folders = [
    folder,
    parameters.text("CniBinDirectory"),
    parameters.text("CniConfDirectory"),
    "C:\\var\\log\\containerd",
  ];
  for (const path of folders) await drive.makeFolder(path);
  const staging = `${folder}\\unpacked.new`;
  await expandTarArchive(context, archive, staging, 1);
  if (registered) await services.stop("containerd");
  await drive.remove(markPath);
  await context.checkpoint();
  for (const name of await drive.fileNames(staging)) {
    await moveFileIntoPlace(host, `${staging}\\${name}`, `${folder}\\${name}`);
  }
  await drive.remove(staging);
  await drive.write(markPath, sha256);
  return "media";
}

/** Asks the program its version and its default configuration, unless it is the one that was asked before. */
async function askProgram(context: StepContext, version: string): Promise<void> {
  const { drive } = context.host;
  const checksum = context.parameters.text("ArchiveSha256");
  if ((await isChecked(drive, program, checksum, version)) && (await drive.isFile(defaultPath))) {
    return;
  }
  // Side by side: a program's start takes seconds of an emulated CPU.
  const [answer, defaultConfig] = await Promise.all([
    ask(context, ["--version"]),
    ask(context, ["config", "default"]),
  ]);
  checkVersion(answer, version);
  await drive.write(defaultPath, defaultConfig);
  await noteChecked(drive, program, checksum, version);
}

function ask(context: StepContext, args: readonly string[]): Promise<string> {
  return runNative(context, {
    exe: program,
    args,
    timeoutSeconds: 60,
    remedy: "Look whether the archive is for windows-amd64.",
  });
}

function checkVersion(answer: string, version: string): void {
  // Built from modules it has no v and a +suffix.
  const said = /\sv?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)(?:\+\S*)?(?:\s|$)/.exec(answer)?.[1];
  if (said === version) return;
  throw new StepError(
    "VersionMismatch",
    `containerd.exe says '${answer.trim()}', expected was version ${version}.`,
    "Set windows.containerdVersion and the checksum of its archive to the same release.",
  );
}

async function configure(
  { host, parameters }: StepContext,
  defaultConfig: string,
  pauseImage: string,
  mirrored: boolean,
): Promise<boolean> {
  const config = editContainerdConfig(defaultConfig, {
    pauseImage,
    cniBinDirectory: parameters.text("CniBinDirectory"),
    cniConfDirectory: parameters.text("CniConfDirectory"),
    registryFolder: mirrored ? registryFolder.replaceAll("\\", "/") : undefined,
  });
  if ("missing" in config) {
    throw new StepError(
      "ConfigurationUnknown",
      `containerd's default configuration has no ${config.missing.join(", no ")}.`,
      "Set windows.containerdVersion to a supported 2.x version.",
    );
  }
  if ((await host.drive.readText(configPath)) === config.text) return false;
  // It reads its configuration at its start only. Stopped before, not after: see the script.
  if (host.services.get("containerd")) await host.services.stop("containerd");
  await host.drive.write(configPath, config.text);
  return true;
}
