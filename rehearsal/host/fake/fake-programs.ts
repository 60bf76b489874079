import { extract } from "tar";
import { Drive } from "../drive.ts";
import type { MachineTime } from "../machine-time.ts";
import type { HostsEntry, ProgramResult, RunOptions, WindowsPrograms } from "../programs.ts";
import type { Route } from "../routes.ts";
import type { FakeCluster } from "./fake-cluster.ts";
import { runFakeContainerd } from "./fake-containerd.ts";
import { runFakeCtr } from "./fake-ctr.ts";
import { readFakeExecutable } from "./fake-executable.ts";
import { kubeletKubeconfig, readFakeJoin, runFakeKubeadm } from "./fake-kubeadm.ts";
import { fakeNode, runFakeKubelet } from "./fake-kubelet.ts";

const clientCertificate = "C:\\var\\lib\\kubelet\\pki\\kubelet-client-current.pem";

/** What fake programs are made of. */
export interface FakeProgramsOptions {
  readonly driveC: string;
  readonly cluster: FakeCluster;
  readonly time: MachineTime;
  /** Called when a reboot is ordered, with its delay; one ordered before is off. */
  readonly onReboot: (delaySeconds: number) => void;
  readonly onRebootCalledOff: () => void;
}

/** Programs of one machine without Windows or Wine: they answer, write the files and change the states that matter. */
export class FakePrograms implements WindowsPrograms {
  readonly driveC: string;
  bootTime = new Date();
  /** How far the machine's clock is ahead; the battery keeps it so through reboots. */
  clockOffsetMilliseconds = 0;
  /** May be changed by a test, as a person would by adding an adapter or taking one away. */
  ownAddresses: readonly string[] = ["127.0.0.1", "192.168.150.10", "192.168.150.11"];
  /** Whether image registries can be reached; may be changed by a test. */
  hasRegistries = true;
  /** The hosts entries in force, for tests. */
  hostsEntries: readonly HostsEntry[] = [];
  /** The routes in force, for tests. */
  routes: readonly Route[] = [];
  /** Every command line that was run, for tests. */
  readonly commands: string[] = [];
  readonly #options: FakeProgramsOptions;
  readonly #drive: Drive;
  readonly #services = new Set<string>();
  /** Delay of the reboot that was ordered, in seconds. */
  #reboot: number | undefined;

  constructor(options: FakeProgramsOptions) {
    this.#options = options;
    this.driveC = options.driveC;
    this.#drive = new Drive(options.driveC, false);
  }

  async run(exe: string, args: readonly string[], options: RunOptions): Promise<ProgramResult> {
    this.commands.push([exe, ...args].join(" "));
    const { fake, version } = readFakeExecutable(exe, await this.#drive.read(exe));
    switch (fake) {
      case "containerd":
        return runFakeContainerd(version, args);
      case "kubeadm":
        return runFakeKubeadm(
          {
            drive: this.#drive,
            version,
            cluster: this.#options.cluster,
            time: this.#options.time,
            now: () => this.now(),
            startKubelet: () => options.startService?.("kubelet"),
            isKubeletRunning: () => this.isServiceRunning("kubelet"),
          },
          args,
        );
      case "kubelet":
        return runFakeKubelet(version, args);
      case "flanneld":
        return { exitCode: 0, stdout: "", stderr: `v${version}\n` };
      case "ctr":
        if (!this.#services.has("containerd")) {
          return { exitCode: 1, stdout: "", stderr: "ctr: cannot access containerd's pipe\n" };
        }
        return runFakeCtr(this.#drive, this.hasRegistries, args);
      case "kube-log-runner":
        return { exitCode: 1, stdout: "", stderr: "fake kube-log-runner.exe runs nothing\n" };
    }
  }

  async startService(name: string, exe: string, args: readonly string[]): Promise<void> {
    this.commands.push([exe, ...args].join(" "));
    if (this.#services.has(name)) throw new Error(`service ${name} runs already`);
    const { fake, version } = readFakeExecutable(exe, await this.#drive.read(exe));
    this.#services.add(name);
    if (fake === "kubelet") await this.#registerNode(args, version);
  }

  stopService(name: string): Promise<void> {
    this.#services.delete(name);
    return Promise.resolve();
  }

  async unpack(archive: string, folder: string, strip = 0): Promise<void> {
    await extract({ file: archive, cwd: folder, strict: true, strip });
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  isServiceRunning(name: string): Promise<boolean> {
    return Promise.resolve(this.#services.has(name));
  }

  isPipeServed(name: string): Promise<boolean> {
    return Promise.resolve(name === "containerd-containerd" && this.#services.has("containerd"));
  }

  addresses(): readonly string[] {
    return this.ownAddresses;
  }

  segments(): readonly string[] {
    return this.ownAddresses.map((address) => `${address}/${address === "127.0.0.1" ? 8 : 24}`);
  }

  connect(host: string, port: number, timeoutSeconds: number): Promise<string | undefined> {
    return this.#options.cluster.connect(this.#addressOf(host), port, timeoutSeconds);
  }

  serverTime(host: string, port: number, timeoutSeconds: number): Promise<Date | undefined> {
    return this.#options.cluster.serverTime(this.#addressOf(host), port, timeoutSeconds);
  }

  now(): Date {
    return new Date(Date.now() + this.clockOffsetMilliseconds);
  }

  setClock(time: Date): Promise<void> {
    this.clockOffsetMilliseconds = time.getTime() - Date.now();
    return Promise.resolve();
  }

  setHostsEntries(entries: readonly HostsEntry[]): Promise<void> {
    this.hostsEntries = entries;
    return Promise.resolve();
  }

  setRoutes(routes: readonly Route[]): Promise<void> {
    this.routes = [...routes];
    return Promise.resolve();
  }

  reboot(delaySeconds: number): Promise<boolean> {
    if (this.#reboot === 0 || (this.#reboot !== undefined && delaySeconds > 0)) {
      return Promise.resolve(false);
    }
    this.#reboot = delaySeconds;
    this.#options.onReboot(delaySeconds);
    return Promise.resolve(true);
  }

  callOffReboot(): Promise<boolean> {
    const wasOrdered = this.#reboot !== undefined;
    this.#reboot = undefined;
    this.#options.onRebootCalledOff();
    return Promise.resolve(wasOrdered);
  }

  /** The machine loses its power: nothing runs any more. */
  powerOff(): void {
    this.#reboot = undefined;
    this.#services.clear();
  }

  /** The machine comes up; steps tell boots apart by the second. */
  powerOn(): void {
    this.bootTime = new Date(Math.max(Date.now(), this.bootTime.getTime() + 1000));
  }

  #addressOf(name: string): string {
    const entry = this.hostsEntries.find(({ names }) => names.includes(name));
    return entry?.address ?? name;
  }

  /** TLS bootstrap and registration; without a join there is nothing the kubelet could do. */
  async #registerNode(args: readonly string[], version: string): Promise<void> {
    const join = await readFakeJoin(this.#drive);
    if (!join) return;
    // In kubelet's own order: the kubeconfig names a certificate that is asked for after it.
    await this.#drive.write(kubeletKubeconfig, JSON.stringify(join), true);
    await this.#options.cluster.register(fakeNode(args, version), join);
    await this.#drive.write(clientCertificate, "fake certificate\n", true);
  }
}
