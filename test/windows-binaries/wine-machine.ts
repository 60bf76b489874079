import { copyFile, cp, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Drive } from "../../rehearsal/host/drive.ts";
import type { ProgramResult } from "../../rehearsal/host/programs.ts";
import { WindowsHost } from "../../rehearsal/host/windows-host.ts";
import { buildCommand } from "../../rehearsal/image/build-command.ts";
import { type MediaName, type Medium, writeMedia } from "../../rehearsal/image/media.ts";
import { containerdVersion, kubernetesVersion } from "../../toolchain/tools/table.ts";
import { artifactPath } from "../../components/windows/media-folder.ts";
import { type StepRun, runStep } from "../unit/rehearsal-host/step-runner.ts";
import { remoteSteps } from "../unit/rehearsal-host/ssh-client.ts";
import { testPrograms } from "./test-programs.ts";
import { TestWine } from "./wine.ts";
import { mountWineRoot } from "./wine.ts";

/** Longest a Windows program that only looks at its arguments may take, in seconds; the first start of all is slow. */
const programSeconds = 60;

/**
 * The rehearsal's model of a Windows machine in this process, with the real Windows programs under Wine and the media
 * that Windows nodes are made from. Its steps call the programs with our arguments and write our files.
 */
export class WineMachine {
  private constructor(
    readonly windows: WindowsHost,
    readonly wine: TestWine,
    readonly folder: string,
    private readonly media: Readonly<Record<MediaName, Medium>>,
    private readonly containerd: string,
  ) {}

  /**
   * A machine with the feature Containers, and nothing of Kubernetes on it but its media.
   *
   * @param containerd version of its containerd.
   */
  static async start(containerd: string = containerdVersion): Promise<WineMachine> {
    const programs = testPrograms();
    const containerdFolder = programs.containerdWindows[containerd];
    if (containerdFolder === undefined) throw new Error(`containerd ${containerd} is not built`);
    const folder = await mkdtemp(join(tmpdir(), "kindows-tested-"));
    const { driveC, hostsFile, start, clock } = await mountWineRoot(programs.wineRoot, folder);
    const work = join(folder, "work");
    await mkdir(work);
    await mkdir(join(driveC, "rehearsal"), { recursive: true });
    await copyFile(
      join(programs.rehearsalCri, "rehearsal-cri.exe"),
      join(driveC, "rehearsal/rehearsal-cri.exe"),
    );
    const media = await writeMedia(
      {
        containerdVersion: containerd,
        containerd: containerdFolder,
        kubernetes: programs.kubernetesWindows,
      },
      join(driveC, "kindows/media"),
      work,
      buildCommand(join(folder, "media.log")),
    );
    const steps = new URL("../../components/windows/steps/", import.meta.url).pathname;
    await cp(steps, join(driveC, ...remoteSteps.split("\\").slice(1)), { recursive: true });
    const wine = new TestWine({ driveC, hostsFile, start, clock });
    await wine.warmUp();
    const windows = await WindowsHost.boot({
      computerName: "win-1",
      drive: new Drive(driveC, false),
      programs: wine,
      sshd: {
        stopListening: () => undefined,
        listen: () => Promise.resolve(),
        cutConnections: () => undefined,
        answered: () => Promise.resolve(),
      },
    });
    windows.state.features.Containers = "Installed";
    return new WineMachine(windows, wine, folder, media, containerd);
  }

  /** Runs a step with its own behaviour, as SSH would. */
  async step(name: string, args: readonly string[] = [], stdin = ""): Promise<StepRun> {
    return runStep(this, name, args, stdin);
  }

  /** Runs a step that must do its work. */
  async stepDone(name: string, args: readonly string[] = [], stdin = ""): Promise<StepRun> {
    const result = await this.step(name, args, stdin);
    if (result.exitCode !== 0) throw new Error(`${name}: ${result.stderr}`);
    return result;
  }

  /** Runs Install-Containerd with the program's own values. */
  async installContainerd(...further: string[]): Promise<void> {
    const { containerd } = this.media;
    await this.stepDone("Install-Containerd", [
      ...["-Version", this.containerd, "-ArchivePath", pathOf(containerd)],
      ...["-ArchiveSha256", containerd.sha256, ...further],
    ]);
  }

  /** Runs Install-Kubernetes with the program's own values. */
  async installKubernetes(): Promise<void> {
    const { kubelet, kubeadm, kubeLogRunner } = this.media;
    await this.stepDone("Install-Kubernetes", [
      ...["-Version", kubernetesVersion],
      ...["-KubeletPath", pathOf(kubelet), "-KubeletSha256", kubelet.sha256],
      ...["-KubeadmPath", pathOf(kubeadm), "-KubeadmSha256", kubeadm.sha256],
      ...["-KubeLogRunnerPath", pathOf(kubeLogRunner)],
      ...["-KubeLogRunnerSha256", kubeLogRunner.sha256],
    ]);
  }

  /** Runs a Windows program to its end. */
  async run(exe: string, args: readonly string[]): Promise<ProgramResult> {
    return this.windows.programs.run(exe, args, {
      timeoutSeconds: programSeconds,
      path: this.windows.path,
    });
  }

  /** Text of a file on drive C: that must be there. */
  async read(path: string): Promise<string> {
    const text = await this.windows.drive.readText(path);
    if (text === undefined) throw new Error(`there is no ${path}`);
    return text;
  }

  /** Ends its services. */
  async stop(): Promise<void> {
    for (const name of this.windows.services.names()) await this.windows.services.stop(name);
  }
}

function pathOf({ sha256, fileName }: Medium): string {
  return artifactPath(sha256, fileName);
}
