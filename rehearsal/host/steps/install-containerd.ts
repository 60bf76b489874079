import { extract } from "tar";
import { type StepContext, StepError, type StepOutcome } from "../step.ts";
import { editContainerdConfig } from "./containerd-config.ts";
import { startJoinedKubelet } from "./kubelet-service.ts";
import { assertMedium } from "./media.ts";
import { runNative } from "./native-command.ts";
import { startServiceInTime } from "./start-service.ts";

const folder = "C:\\Program Files\\containerd";
const program = `${folder}\\containerd.exe`;
const configPath = `${folder}\\config.toml`;
const logPath = "C:\\var\\log\\containerd\\containerd.log";
/** Written when the archive has been unpacked to its end: what is half unpacked lacks it. */
const markPath = `${folder}\\unpacked.sha256`;

/** Unpacks, configures, registers and starts the real containerd.exe. */
export async function installContainerd(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  const { services } = host;
  const version = parameters.text("Version");
  const pauseImage = parameters.text("PauseImage");

  const feature = host.featureState("Containers");
  if (feature !== "Installed") {
    throw new StepError(
      "FeatureMissing",
      `The feature Containers is ${feature}.`,
      "Run Enable-ContainersFeature and Confirm-Reboot first.",
    );
  }

  const registered = services.get("containerd") !== undefined;
  const archiveFrom = await unpack(context, registered);
  let changed = archiveFrom !== "installed";
  // Side by side: a program's start takes seconds of an emulated CPU.
  const [answer, defaultConfig] = await Promise.all([
    ask(context, ["--version"]),
    ask(context, ["config", "default"]),
  ]);
  checkVersion(answer, version);
  if (await host.addToPath(folder)) changed = true;
  if (await configure(context, defaultConfig, pauseImage)) {
    // It reads its configuration at its start only.
    if (registered) await services.stop("containerd");
    changed = true;
  }
  if (!registered) {
    // What `containerd.exe --register-service --config ... --log-file ...` makes.
    await services.configure("containerd", {
      commandLine: `"${program}" --run-service --config "${configPath}" --log-file ${logPath}`,
      displayName: "ContainerD",
      description: "Container runtime",
      startType: "auto",
      dependsOn: [],
      restarts: true,
    });
    changed = true;
  }
  if (!(await services.isRunning("containerd"))) changed = true;
  await startServiceInTime(context, "containerd", 120, logPath, () =>
    host.programs.isPipeServed("containerd-containerd"),
  );
  await startJoinedKubelet(context);
  return { changed, facts: { version, pauseImage, archiveFrom } };
}

async function unpack(context: StepContext, registered: boolean): Promise<"installed" | "media"> {
  const { host, parameters } = context;
  const { drive, services } = host;
  const sha256 = parameters.text("ArchiveSha256").toLowerCase();
  if ((await drive.readText(markPath))?.trim().toLowerCase() === sha256) return "installed";

  const archive = parameters.text("ArchivePath");
  await assertMedium(context, archive, sha256);
  if (registered) await services.stop("containerd");
  const folders = [
    folder,
    parameters.text("CniBinDirectory"),
    parameters.text("CniConfDirectory"),
    "C:\\var\\log\\containerd",
  ];
  for (const path of folders) await drive.makeFolder(path);
  await drive.remove(markPath);
  await context.checkpoint();
  context.progress(`unpacking ${archive}`);
  try {
    const file = await drive.resolve(archive);
    await extract({ file, cwd: await drive.resolve(folder), strip: 1, strict: true });
  } catch (error) {
    throw new StepError(
      "CommandFailed",
      `tar.exe ended with exit code 1. It wrote: ${String(error)}`,
      "Free disk space on C:, or stop what holds the files (containerd-shim-runhcs-v1.exe), then run again.",
    );
  }
  await drive.write(markPath, sha256);
  return "media";
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
): Promise<boolean> {
  const config = editContainerdConfig(defaultConfig, {
    pauseImage,
    cniBinDirectory: parameters.text("CniBinDirectory"),
    cniConfDirectory: parameters.text("CniConfDirectory"),
  });
  if ("missing" in config) {
    throw new StepError(
      "ConfigurationUnknown",
      `containerd's default configuration has no ${config.missing.join(", no ")}.`,
      "Set windows.containerdVersion to a supported 2.x version.",
    );
  }
  return host.drive.writeIfChanged(configPath, config.text);
}
