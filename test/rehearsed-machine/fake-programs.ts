import { extract } from "tar";
import { messageOf } from "../../host/failure.ts";
import { Drive } from "../../rehearsal/machine/drive.ts";
import type { MachineTime } from "../../rehearsal/machine/machine-time.ts";
import {
  type HostsEntry,
  NotAProgram,
  type ProgramResult,
  type RunOptions,
  type ServiceOptions,
  unpackedPaths,
  type WindowsPrograms,
} from "../../rehearsal/machine/programs.ts";
import type { Route } from "../../rehearsal/machine/state.ts";
import type { FakeCluster, FakeNode, FakeJoin } from "./fake-cluster.ts";
import * as z from "zod";

const executableSchema = z.strictObject({
  fake: z.enum([
    "containerd",
    "kubeadm",
    "kubelet",
    "kube-log-runner",
    "flanneld",
    "hybrid-overlay-node",
    "ctr",
    "calico-node",
  ]),
  version: z.string(),
});

/** Content of a fake program's file: the program that it replaces, and its version. */
type FakeExecutable = z.infer<typeof executableSchema>;

export function fakeExecutable(fake: FakeExecutable["fake"], version: string): Buffer {
  return Buffer.from(`${JSON.stringify({ fake, version })}\n`);
}

/** Reads a fake .exe file. @throws NotAProgram for any other content. */
function readFakeExecutable(path: string, content: Buffer | undefined): FakeExecutable {
  if (!content) throw new Error(`The system cannot find the file specified: ${path}`);
  let value: unknown;
  try {
    value = JSON.parse(content.toString("utf8"));
  } catch {
    value = undefined;
  }
  const executable = executableSchema.safeParse(value);
  if (!executable.success) throw new NotAProgram(`${path} is not a valid Win32 application.`);
  return executable.data;
}

const clientCertificate = "C:\\var\\lib\\kubelet\\pki\\kubelet-client-current.pem";

export interface FakeProgramsOptions {
  readonly driveC: string;
  readonly cluster: FakeCluster;
  readonly time: MachineTime;
  /** Called with the delay when a reboot, or powering off, is ordered, which replaces an earlier order. */
  readonly onReboot: (delaySeconds: number, end: "reboot" | "power off") => void;
  readonly onRebootCalledOff: () => void;
}

/** A machine's programs without Windows or Wine: they print, write and change what the steps depend on. */
export class FakePrograms implements WindowsPrograms {
  readonly driveC: string;
  bootTime = new Date();
  /** Tests may change this and the two below. */
  memoryMiB = 4096;
  freeDiskGiB = (): Promise<number> => Promise.resolve(60);
  /** How far the machine's clock is ahead, also after a reboot. */
  clockOffsetMilliseconds = 0;
  /** Tests change this to add or remove an adapter. */
  ownAddresses: readonly string[] = ["127.0.0.1", "192.168.150.11", "192.168.150.10"];
  hasRegistries = true;
  hostsEntries: readonly HostsEntry[] = [];
  routes: readonly Route[] = [];
  readonly commands: string[] = [];
  readonly #options: FakeProgramsOptions;
  readonly #drive: Drive;
  readonly #services = new Set<string>();
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
        return this.#kubeadm(version, args, options);
      case "kubelet":
        return runFakeKubelet(version, args);
      case "flanneld":
      case "hybrid-overlay-node":
        return { exitCode: 0, stdout: "", stderr: `v${version}\n` };
      case "ctr":
        if (!this.#services.has("containerd")) {
          return failed("ctr: cannot access containerd's pipe");
        }
        return runFakeCtr(this.#drive, this.hasRegistries, args);
      case "calico-node":
        // All but this runs until it is ended.
        if (args.includes("-startup")) return done("");
        await this.#options.time.sleep(Infinity, options.killed);
        return failed("it was ended");
      case "kube-log-runner":
        return failed("fake kube-log-runner.exe runs nothing");
    }
  }

  async startService(
    name: string,
    exe: string,
    args: readonly string[],
    { makePodNetwork }: ServiceOptions,
  ): Promise<void> {
    this.commands.push([exe, ...args].join(" "));
    if (this.#services.has(name)) throw new Error(`service ${name} runs already`);
    const { fake, version } = readFakeExecutable(exe, await this.#drive.read(exe));
    this.#services.add(name);
    if (fake === "kubelet") await this.#registerNode(args, version);
    await makePodNetwork?.();
  }

  stopService(name: string): Promise<void> {
    this.#services.delete(name);
    return Promise.resolve();
  }

  async unpack(archive: string, folder: string, strip = 0): Promise<readonly string[]> {
    const names: string[] = [];
    const onReadEntry = ({ path }: { readonly path: string }): unknown => names.push(path);
    await extract({ file: archive, cwd: folder, strict: true, strip, onReadEntry });
    return unpackedPaths(folder, names, strip);
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

  adapterIndex(): number {
    return 6;
  }

  setNetwork(): Promise<void> {
    return Promise.resolve();
  }

  setFurtherAddresses(): Promise<void> {
    return Promise.resolve();
  }

  /** Names of the hosts file, as it was last set. */
  resolve(name: string): Promise<readonly string[]> {
    const address = this.#addressOf(name);
    return Promise.resolve(address === name ? [] : [address]);
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

  reboot(delaySeconds: number, end: "reboot" | "power off" = "reboot"): Promise<boolean> {
    if (this.#reboot === 0 || (this.#reboot !== undefined && delaySeconds > 0)) {
      return Promise.resolve(false);
    }
    this.#reboot = delaySeconds;
    this.#options.onReboot(delaySeconds, end);
    return Promise.resolve(true);
  }

  callOffReboot(): Promise<boolean> {
    const wasOrdered = this.#reboot !== undefined;
    this.#reboot = undefined;
    this.#options.onRebootCalledOff();
    return Promise.resolve(wasOrdered);
  }

  /** Power loss: no service runs any more. */
  powerOff(): void {
    this.#reboot = undefined;
    this.#services.clear();
  }

  /** Boots at least one second after the last boot, because steps distinguish boots by the second. */
  powerOn(): void {
    this.bootTime = new Date(Math.max(Date.now(), this.bootTime.getTime() + 1000));
  }

  #addressOf(name: string): string {
    const entry = this.hostsEntries.find(({ names }) => names.includes(name));
    return entry?.address ?? name;
  }

  /** TLS bootstrap and registration; nothing without a join. */
  async #registerNode(args: readonly string[], version: string): Promise<void> {
    const join = await readFakeJoin(this.#drive);
    if (!join) return;
    // In kubelet's order: the kubeconfig names a certificate that is requested afterwards.
    await this.#drive.write(kubeletKubeconfig, JSON.stringify(join), true);
    await this.#options.cluster.register(fakeNode(args, version));
    await this.#drive.write(clientCertificate, "fake certificate\n", true);
  }

  /** Runs `kubeadm.exe version`, `join --config FILE` or `reset`. */
  async #kubeadm(
    version: string,
    [command = "", ...args]: readonly string[],
    options: RunOptions,
  ): Promise<ProgramResult> {
    switch (command) {
      case "version":
        return done(`v${version}`);
      case "join": {
        const problem = await this.#join(args[args.indexOf("--config") + 1] ?? "", options);
        if (problem === undefined) return done("This node has joined the cluster (fake).");
        return failed(`error execution phase (fake kubeadm): ${problem}`);
      }
      case "reset":
        for (const path of [...mustBeAbsent, kubeletConfiguration, kubeletFlags]) {
          await this.#drive.remove(path);
        }
        return done("[reset] Stopping the kubelet service");
      default:
        return failed(`error execution phase (fake kubeadm): unknown command "${command}"`);
    }
  }

  /** @returns the error that kubeadm would report. */
  async #join(path: string, { startService }: RunOptions): Promise<string | undefined> {
    const drive = this.#drive;
    const { cluster, time } = this.#options;
    const text = await drive.readText(path);
    if (text === undefined) return `unable to read config from "${path}"`;
    const configuration = configurationSchema.safeParse(JSON.parse(text));
    if (!configuration.success) return z.prettifyError(configuration.error);
    for (const file of mustBeAbsent) {
      if (await drive.isFile(file)) return `[ERROR FileAvailable]: ${file} already exists`;
    }
    const { apiServerEndpoint, token, caCertHashes } = configuration.data.discovery.bootstrapToken;
    const now = this.now();
    if (now.getTime() < Date.now() - backdateMilliseconds) {
      return `x509: certificate has expired or is not yet valid: current time ${now.toISOString()} is before its start`;
    }
    const join: FakeJoin = { endpoint: apiServerEndpoint, token, caCertHashes };
    const refusal = await cluster.authorize(join).then(() => undefined, messageOf);
    if (refusal !== undefined) return refusal;
    await drive.write(caCertificate, "fake CA certificate\n");
    await drive.write(bootstrapConfig, JSON.stringify(join), true);
    await drive.write(kubeletConfiguration, "kind: KubeletConfiguration\n");
    await drive.write(kubeletFlags, 'KUBELET_KUBEADM_ARGS=""\n');
    // If it does not start, the check below fails.
    await startService?.("kubelet").catch(() => undefined);
    const deadline = time.elapsed() + 5000;
    while (!this.#services.has("kubelet") || !(await drive.isFile(kubeletKubeconfig))) {
      if (time.elapsed() > deadline) return "[kubelet-check] The kubelet is not healthy after 5s";
      await time.sleep(20);
    }
    await drive.remove(bootstrapConfig);
    return undefined;
  }
}

function done(stdout: string): ProgramResult {
  return { exitCode: 0, stdout: `${stdout}\n`, stderr: "" };
}

function failed(stderr: string): ProgramResult {
  return { exitCode: 1, stdout: "", stderr: `${stderr}\n` };
}

/** The parts of containerd 2.4's `config default` that a step reads, and a similar one that it must not change. */
const defaultConfig = `version = 4
root = 'C:\\ProgramData\\containerd\\root'
state = 'C:\\ProgramData\\containerd\\state'

[plugins]
  [plugins.'io.containerd.cri.v1.images']
    snapshotter = 'windows'

    [plugins.'io.containerd.cri.v1.images'.pinned_images]
      sandbox = 'registry.k8s.io/pause:3.10.2'

    [plugins.'io.containerd.cri.v1.images'.registry]
      config_path = ''

  [plugins.'io.containerd.cri.v1.runtime']
    enable_selinux = false

    [plugins.'io.containerd.cri.v1.runtime'.cni]
      bin_dir = ''
      bin_dirs = ['C:\\Program Files\\containerd\\cni\\bin']
      conf_dir = 'C:\\Program Files\\containerd\\cni\\conf'

  [plugins.'io.containerd.image-verifier.v1.bindir']
    bin_dir = 'C:\\ProgramData\\containerd\\opt\\image-verifier\\bin'
`;

function runFakeContainerd(version: string, args: readonly string[]): ProgramResult {
  const command = args.join(" ");
  if (command === "--version") {
    return done(`containerd github.com/containerd/containerd/v2 v${version} fake`);
  }
  if (command === "config default") return { exitCode: 0, stdout: defaultConfig, stderr: "" };
  return failed(`fake containerd.exe does not know '${command}'`);
}

/** The images of the fake containerd, by name only. */
const imagesFile = "C:\\ProgramData\\containerd\\root\\fake-images.txt";

/** Runs `ctr.exe --namespace k8s.io images`: `check --quiet`, `pull --local IMAGE`, `list`, or `remove --sync IMAGE...`. */
async function runFakeCtr(
  drive: Drive,
  hasRegistries: boolean,
  args: readonly string[],
): Promise<ProgramResult> {
  const command = args.join(" ");
  const there = (await drive.readText(imagesFile)) ?? "";
  if (/^--namespace k8s\.io images (check --quiet|list( --quiet)?)$/.test(command)) {
    return { exitCode: 0, stdout: there, stderr: "" };
  }
  const removed = /^--namespace k8s\.io images remove --sync (.+)$/.exec(command)?.[1]?.split(" ");
  if (removed) {
    const left = there.split("\n").filter((each) => !removed.includes(each));
    await drive.write(imagesFile, left.join("\n"), true);
    return done(removed.join("\n"));
  }
  const image = /^--namespace k8s\.io images pull --local (\S+)$/.exec(command)?.[1];
  if (image === undefined) return failed(`fake ctr.exe does not know '${command}'`);
  if (!hasRegistries) {
    return failed(`ctr: failed to resolve reference "${image}": dial tcp: lookup: no such host`);
  }
  await drive.write(imagesFile, `${there}${image}\n`, true);
  return done("done");
}

function fakeNode(args: readonly string[], kubeletVersion: string): FakeNode {
  const flags = new Map(
    args.map((argument): [string, string] => {
      const [name = "", ...value] = argument.replace(/^--/, "").split("=");
      return [name, value.join("=")];
    }),
  );
  const list = (name: string): string[] => flags.get(name)?.split(",").filter(Boolean) ?? [];
  return {
    name: flags.get("hostname-override") ?? "",
    address: flags.get("node-ip") ?? "",
    labels: Object.fromEntries(
      list("node-labels").map((label): [string, string] => {
        const [key = "", value = ""] = label.split("=", 2);
        return [key, value];
      }),
    ),
    taints: list("register-with-taints"),
    kubeletVersion,
  };
}

const removedFlags = ["pod-infra-container-image", "container-runtime", "network-plugin"];

/** `kubelet.exe ... --version`; checks the arguments first, like the real one. */
function runFakeKubelet(version: string, args: readonly string[]): ProgramResult {
  const unknown = args.find((argument) =>
    removedFlags.includes(/^--([^=]+)/.exec(argument)?.[1] ?? ""),
  );
  return unknown === undefined
    ? done(`Kubernetes v${version}`)
    : failed(
        `E1121 run.go:72] "command failed" err="failed to parse kubelet flag: unknown flag: ${unknown.split("=")[0]}"`,
      );
}

const configurationSchema = z.object({
  apiVersion: z.literal("kubeadm.k8s.io/v1beta4"),
  kind: z.literal("JoinConfiguration"),
  discovery: z.object({
    bootstrapToken: z.object({
      apiServerEndpoint: z.string().regex(/^[^:\s]+:\d+$/),
      token: z.string().regex(/^[a-z0-9]{6}\.[a-z0-9]{16}$/),
      caCertHashes: z.array(z.string()).min(1),
    }),
  }),
  nodeRegistration: z.object({ name: z.string(), criSocket: z.string() }),
});

/** Content of the fake kubelet's kubeconfigs. */
const joinSchema = z.object({
  endpoint: z.string(),
  token: z.string(),
  caCertHashes: z.array(z.string()),
});

const bootstrapConfig = "C:\\etc\\kubernetes\\bootstrap-kubelet.conf";
const caCertificate = "C:\\etc\\kubernetes\\pki\\ca.crt";
const kubeletConfiguration = "C:\\var\\lib\\kubelet\\config.yaml";
const kubeletFlags = "C:\\var\\lib\\kubelet\\kubeadm-flags.env";
const kubeletKubeconfig = "C:\\etc\\kubernetes\\kubelet.conf";
/** Files that must be absent before a join: kubeadm's preflight checks. */
const mustBeAbsent = [kubeletKubeconfig, bootstrapConfig, caCertificate];

/** kubeadm's certificates are backdated by this much. */
const backdateMilliseconds = 5 * 60 * 1000;

/** The join of a running kubelet, from the file that kubeadm left. */
async function readFakeJoin(drive: Drive): Promise<FakeJoin | undefined> {
  const text = (await drive.readText(bootstrapConfig)) ?? (await drive.readText(kubeletKubeconfig));
  return text === undefined ? undefined : joinSchema.parse(JSON.parse(text));
}
