import { copyFile, cp, mkdir, mkdtemp, readFile } from "node:fs/promises";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { bounded } from "../../host/bounded.ts";
import { messageOf } from "../../host/failure.ts";
import { Drive } from "../../rehearsal/machine/drive.ts";
import { servePowerShell } from "../../rehearsal/machine/serve-powershell.ts";
import type { ProgramResult } from "../../rehearsal/machine/programs.ts";
import { WindowsMachine } from "../../rehearsal/machine/windows-machine.ts";
import { rehearsedWindows, type WindowsVersion } from "../../rehearsal/machine/windows-version.ts";
import { noHnsObjects } from "../../rehearsal/windows/hns/objects.ts";
import { serveHns } from "../../rehearsal/windows/hns/serve.ts";
import { type CarriedMedia, writeMedia } from "../../rehearsal/image/media.ts";
import { containerdVersion, kubernetesVersion } from "../../toolchain/tools/table.ts";
import {
  netConf,
  windowsCniConf,
  type WindowsCniNetwork,
} from "../../components/cni/flannel/flannel-config.ts";
import { stepsSource } from "../../components/node/steps-folder.ts";
import { assertDone, pathOf, runStep } from "../unit/rehearsal/machine/step-runner.ts";
import { remoteSteps } from "../unit/rehearsal/machine/ssh-client.ts";
import { testPrograms } from "./test-programs.ts";
import { mountWineRoot, serverLog, TestWine } from "./wine.ts";

/** Limit for a Windows program that only checks its arguments, in seconds; the very first start is slow. */
const programSeconds = 60;

/** Longest start, in seconds: less than mocha's limit, which does not say what was done. */
const startSeconds = 540;

/** Of what was said before a failure. */
const lastLines = 20;

interface Start {
  readonly folder: string;
  readonly containerd: string;
  readonly version: WindowsVersion;
  /** Gets the lines that are said. */
  readonly log: string[];
  /** Gets a verb for each stage that begins. */
  readonly stages: string[];
}

/** Between checks for services that have ended and are to be started again. */
const restartMilliseconds = 1000;

/**
 * The rehearsal's model of a Windows machine in this process, with the real Windows programs under Wine and the media
 * that Windows nodes are made from. Its steps call the programs with our arguments and write our files.
 */
export class WineMachine {
  private constructor(
    readonly windows: WindowsMachine,
    readonly wine: TestWine,
    readonly folder: string,
    private readonly servers: readonly Server[],
    private readonly media: CarriedMedia,
    private readonly containerd: string,
    private readonly supervisor: NodeJS.Timeout,
    /** What the model has to say, what its HNS refuses among it. */
    readonly log: readonly string[],
  ) {}

  /**
   * A machine with the feature Containers, and nothing of Kubernetes on it but its media.
   *
   * @param containerd version of its containerd.
   * @param version its Windows.
   * @throws with the stage that failed, and the last lines of what was said.
   */
  static async start(
    containerd: string = containerdVersion,
    version: WindowsVersion = rehearsedWindows,
  ): Promise<WineMachine> {
    const folder = await mkdtemp(join(tmpdir(), "kindows-tested-"));
    const [log, stages]: [string[], string[]] = [[], ["finds its programs"]];
    try {
      const started = WineMachine.#start({ folder, containerd, version, log, stages });
      return await bounded(started, startSeconds);
    } catch (error) {
      const ofServer = await readFile(join(folder, "wine", serverLog), "utf8").catch(() => "");
      const said = [...ofServer.trimEnd().split("\n"), ...log].slice(-lastLines);
      const what = `the machine failed while it ${stages.at(-1)}: ${messageOf(error)}`;
      throw new Error([what, ...said].join("\n"), { cause: error });
    }
  }

  static async #start({ folder, containerd, version, log, stages }: Start): Promise<WineMachine> {
    const programs = testPrograms();
    const containerdFolder = programs.containerdWindows[containerd];
    if (containerdFolder === undefined) throw new Error(`containerd ${containerd} is not built`);
    stages.push("mounts Wine's root");
    const root = await mountWineRoot(programs.wineRoot, folder);
    const { driveC } = root;
    const work = join(folder, "work");
    await mkdir(work);
    await mkdir(join(driveC, "rehearsal"), { recursive: true });
    await copyFile(
      join(programs.rehearsalCri, "rehearsal-cri.exe"),
      join(driveC, "rehearsal/rehearsal-cri.exe"),
    );
    stages.push("gets its media");
    const media = await writeMedia(
      {
        containerdVersion: containerd,
        containerd: containerdFolder,
        kubernetes: programs.kubernetesWindows,
        flannel: programs.flannelWindows,
        flannelPlugin: programs.flannelPluginWindows,
        cniPlugins: programs.cniPluginsWindows,
      },
      join(driveC, "kindows/media"),
      work,
    );
    await cp(stepsSource, join(driveC, ...remoteSteps.split("\\").slice(1)), { recursive: true });
    stages.push("starts Wine");
    const wine = new TestWine(root);
    await wine.warmUp();
    stages.push("boots");
    const windows = await WindowsMachine.boot({
      computerName: "win-1",
      drive: new Drive(driveC, false),
      programs: wine,
      version,
      sshd: {
        stopListening: () => undefined,
        listen: () => Promise.resolve(22),
        cutConnections: () => undefined,
        answered: () => Promise.resolve(),
      },
    });
    windows.state.features.Containers = "Installed";
    const keep = (line: string): void => void log.push(line);
    const say = (line: string): void => {
      keep(line);
      process.stderr.write(`${line}\n`);
    };
    const servers = [await serveHns(windows.hns, keep), await servePowerShell(windows, say)];
    // As in the guest, sooner.
    const supervisor = setInterval(
      () => void windows.services.restartEnded(say).catch((error: unknown) => say(String(error))),
      restartMilliseconds,
    );
    return new WineMachine(windows, wine, folder, servers, media, containerd, supervisor, log);
  }

  /** Puts an image's files and folders on the drive, so that its containers run. */
  async addImage(name: string, files: Readonly<Record<string, string>>): Promise<void> {
    for (const [file, source] of Object.entries(files)) {
      const folder = `C:\\rehearsal\\images\\${name}`;
      const target = await this.windows.drive.resolve(`${folder}\\${file}`);
      await mkdir(dirname(target), { recursive: true });
      await cp(source, target, { recursive: true });
    }
  }

  async installContainerd(...further: string[]): Promise<void> {
    const { containerd } = this.media;
    const args = [
      ...["-Version", this.containerd, "-ArchivePath", pathOf(containerd)],
      ...["-ArchiveSha256", containerd.sha256, ...further],
    ];
    await assertDone(runStep(this, "Install-Containerd", args));
  }

  async installKubernetes(): Promise<void> {
    const { kubelet, kubeadm, kubeLogRunner } = this.media;
    const args = [
      ...["-Version", kubernetesVersion],
      ...["-KubeletPath", pathOf(kubelet), "-KubeletSha256", kubelet.sha256],
      ...["-KubeadmPath", pathOf(kubeadm), "-KubeadmSha256", kubeadm.sha256],
      ...["-KubeLogRunnerPath", pathOf(kubeLogRunner)],
      ...["-KubeLogRunnerSha256", kubeLogRunner.sha256],
    ];
    await assertDone(runStep(this, "Install-Kubernetes", args));
  }

  /** With the values that a node's step has for a cluster of these settings. */
  async installFlannel(
    nodeIp: string,
    { backend, ...ranges }: WindowsCniNetwork,
  ): Promise<ReturnType<typeof assertDone>> {
    const { flannel, flannelPlugin, cniPlugins } = this.media;
    const text = (content: object): string =>
      Buffer.from(`${JSON.stringify(content)}\n`).toString("base64");
    const args = [
      ...["-NodeName", this.windows.computerName, "-NodeIp", nodeIp],
      ...["-NetConf", text(netConf(ranges.podCidr, backend))],
      ...["-CniConf", text(windowsCniConf({ backend, ...ranges }, nodeIp))],
      ...["-DaemonPath", pathOf(flannel), "-DaemonSha256", flannel.sha256],
      ...["-PluginPath", pathOf(flannelPlugin), "-PluginSha256", flannelPlugin.sha256],
      ...["-CniPluginsPath", pathOf(cniPlugins), "-CniPluginsSha256", cniPlugins.sha256],
    ];
    return assertDone(runStep(this, "Install-Flannel", args));
  }

  async run(exe: string, args: readonly string[]): Promise<ProgramResult> {
    return this.windows.programs.run(exe, args, {
      timeoutSeconds: programSeconds,
      path: this.windows.path,
    });
  }

  async read(path: string): Promise<string> {
    const text = await this.windows.drive.readText(path);
    if (text === undefined) throw new Error(`there is no ${path}`);
    return text;
  }

  async stop(): Promise<void> {
    clearInterval(this.supervisor);
    for (const name of this.windows.services.names()) await this.windows.services.stop(name);
    // The next machine has the same network.
    this.windows.state.hns = noHnsObjects();
    await this.windows.hns.follow();
    for (const server of this.servers) server.close();
  }
}
