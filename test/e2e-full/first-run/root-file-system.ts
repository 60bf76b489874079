import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFile, chmod, cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { waitUntil } from "../../../host/wait-until.ts";
import { runAsGroup, type Finished } from "../../e2e/process-group.ts";

/** The two ends of its cable; from a range for tests (RFC 2544). */
export const hostAddress = "198.18.21.1";
const ownAddress = "198.18.21.2";
const cable = "kindows-first";

const user = "newcomer";

/**
 * Makes the folder a machine's root: new /proc, /sys and /run, this machine's devices. The first process is a shell that
 * waits for whatever loses its parent: libvirt waits until a QEMU that has ended is gone.
 */
const enter = `
  mount --bind "$0" "$0"; cd "$0"
  mount -t proc proc proc
  mount -t sysfs sysfs sys; mount --rbind /sys/fs/cgroup sys/fs/cgroup
  mount --rbind /dev dev
  mount -t tmpfs tmpfs run; mkdir run/lock
  mkdir -p old; pivot_root . old
  exec chroot . sh -c 'umount --lazy /old; while :; do sleep 1000; done'`;

/** A machine's daemons are started by systemd, which is not in here: its client does what the project would for root. */
const systemctl = `#!/bin/sh
mkdir -p /run/dbus # libvirt asks polkit, by this bus, who may use it
[ -e /run/dbus/pid ] || dbus-daemon --system --fork
case "$*" in
  "enable --now docker") what='ensureDocker(await dockerState(), { progress, ensurePackages })' ;;
  "enable --now libvirtd") what='ensureLibvirt(uri, await libvirtState(uri), progress)' ;;
  *) exit 1 ;;
esac
cd /home/${user}/kindows
KINDOWS_CACHE=/var/cache/kindows exec node --import tsx --input-type=module --eval "
  import { dockerState, libvirtState } from './toolchain/daemon-state.ts';
  import { ensureDocker, ensureLibvirt } from './toolchain/daemons.ts';
  import { ensureHostPackages } from './toolchain/host-packages.ts';
  const progress = console.error;
  const ensurePackages = (names) => ensureHostPackages(names, progress);
  const uri = 'qemu:///system';
  await $what;"
`;

/**
 * A new Debian in a folder, with processes, mounts and a network of its own, in which daemons of its own run. What this
 * machine has of the registries (mirror, proxy, authorities) it has as well.
 */
export class RootFileSystem {
  private init: ChildProcess | undefined;
  private pid = "";
  private runs = 0;

  /** @param logFolder gets what each command prints. */
  constructor(
    readonly folder: string,
    private readonly logFolder: string,
  ) {}

  /** Installs Debian, Node.js as the README asks for it, and a user. */
  async make(): Promise<void> {
    const own = await mirror();
    await mkdir(this.folder, { recursive: true });
    await execa("debootstrap", [
      ...["--variant=minbase", "--include=ca-certificates,git,make,procps"],
      ...["bookworm", this.folder, ...(own === undefined ? [] : [own])],
    ]);
    if (own !== undefined) await cp("/etc/apt", this.at("/etc/apt"), { recursive: true });
    const npm = (await execa("npm", ["root", "--global"])).stdout;
    await cp(process.execPath, this.at("/usr/local/bin/node"));
    await cp(path.join(npm, "npm"), this.at("/usr/local/lib/node_modules/npm"), {
      recursive: true,
    });
    await execa("ln", [
      "-s",
      "../lib/node_modules/npm/bin/npm-cli.js",
      this.at("/usr/local/bin/npm"),
    ]);
    await this.put("/usr/local/bin/systemctl", systemctl, 0o755);
    await this.put("/etc/resolv.conf", await readFile("/etc/resolv.conf", "utf8"));
    await execa("chroot", [this.folder, "apt-get", "update"]);
    await this.put("/etc/profile.d/machine.sh", await machineEnvironment());
    await execa("chroot", [this.folder, "useradd", "--create-home", "--shell", "/bin/bash", user]);
  }

  /** Gives the user the sources as they are here, committed or not, as a clone from GitHub. */
  async clone(from: string): Promise<void> {
    const home = this.at(`/home/${user}/kindows`);
    await mkdir(home);
    const { stdout } = await execa("git", ["ls-files"], { cwd: from });
    const list = ["--create", "--no-recursion", "--files-from", "-"];
    const packed = execa("tar", list, { cwd: from, input: stdout, encoding: "buffer" });
    await packed.pipe("tar", ["--extract", "--directory", home]);
    await execa("git", ["init", "--quiet", home]);
    const origin = "https://github.com/kindows/kindows.git";
    await execa("git", ["-C", home, "remote", "add", "origin", origin]);
    await execa("chroot", [this.folder, "chown", "-R", `${user}:`, `/home/${user}`]);
  }

  /** Lets hosts of these names be this machine, whose certificate counts. */
  async believe(hosts: readonly string[], authority: string): Promise<void> {
    await this.put("/etc/hosts", `127.0.0.1 localhost\n${hostAddress} ${hosts.join(" ")}\n`);
    const authorities = [await readFile("/etc/ssl/certs/ca-certificates.crt", "utf8"), authority];
    await this.put("/etc/ssl/certs/ca-certificates.crt", authorities.join("\n"));
  }

  async start(): Promise<void> {
    const namespaces = ["--mount", "--net", "--pid", "--ipc", "--uts", "--fork", "--kill-child"];
    this.init = spawn(
      "unshare",
      [...namespaces, "--propagation", "private", "sh", "-ec", enter, this.folder],
      { stdio: ["ignore", "ignore", "inherit"] },
    );
    const { init } = this;
    // Nobody else would end it when this process is ended.
    process.once("exit", () => init.kill("SIGKILL"));
    const { pid } = init;
    await waitUntil(
      { what: "the new root file system", timeoutSeconds: 30, pollMilliseconds: 100 },
      async () => {
        const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
        this.pid = children.trim();
        const first = await readFile(`/proc/${this.pid}/cmdline`, "utf8").catch(() => "");
        return first.startsWith("sh\0-c") ? undefined : `its first process is ${first}`;
      },
    );
    await ip("link", "add", cable, "type", "veth", "peer", "eth0", "netns", this.pid);
    await ip("addr", "add", `${hostAddress}/30`, "dev", cable);
    await ip("link", "set", cable, "up");
    const inside = ["nsenter", "--net", "--target", this.pid, "ip"];
    for (const line of [
      "link set lo up",
      `addr add ${ownAddress}/30 dev eth0`,
      "link set eth0 up",
      `route add default via ${hostAddress}`,
    ]) {
      await execa("env", [...inside, ...line.split(" ")]);
    }
    await writeFile("/proc/sys/net/ipv4/ip_forward", "1");
    await this.closeWayOut();
    for (const rule of rules) await execa("iptables", ["--wait", ...rule("-I")]);
  }

  /** Runs a line of shell as the user in the clone, or as root, in a login of its own: groups joined before count. */
  run(line: string, as: "user" | "root" = "user"): Promise<Finished> {
    this.runs += 1;
    const name = line.replace(/[^\w.-]+/g, "_").slice(0, 40);
    const logFile = path.join(this.logFolder, `${String(this.runs).padStart(2, "0")}-${name}.log`);
    const namespaces = ["--mount", "--net", "--pid", "--ipc", "--uts", "--root", "--wdns=/"];
    const login =
      as === "user"
        ? ["su", "--login", user, "--command", `cd kindows && ${line}`]
        : ["su", "--login", "root", "--command", `USER=${user}; ${line}`];
    return runAsGroup("nsenter", ["--target", this.pid, ...namespaces, "--", ...login], {
      logFile,
    });
  }

  /** Ends all that runs in it. */
  async stop(): Promise<void> {
    await this.closeWayOut();
    const { init } = this;
    if (init === undefined || init.exitCode !== null) return;
    const ended = once(init, "exit");
    init.kill("SIGKILL");
    await ended;
  }

  at(file: string): string {
    return path.join(this.folder, file);
  }

  private async closeWayOut(): Promise<void> {
    for (const rule of rules) await execa("iptables", ["--wait", ...rule("-D")], { reject: false });
  }

  private async put(file: string, text: string, mode = 0o644): Promise<void> {
    await rm(this.at(file), { force: true });
    await appendFile(this.at(file), text);
    await chmod(this.at(file), mode);
  }
}

/** It goes out by way of this machine, for the registries. */
const rules = [
  (how: string) => ["-t", "nat", how, "POSTROUTING", "-s", ownAddress, "-j", "MASQUERADE"],
  (how: string) => [how, "FORWARD", "-i", cable, "-j", "ACCEPT"],
  (how: string) => [how, "FORWARD", "-o", cable, "-j", "ACCEPT"],
];

async function ip(...args: readonly string[]): Promise<void> {
  await execa("ip", args);
}

/** The mirror of Debian that this machine's apt asks first; none where it is another distribution, or says it otherwise. */
async function mirror(): Promise<string | undefined> {
  const folder = "/etc/apt/sources.list.d";
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sources"));
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")));
  return /^URIs: *(\S+\/debian)\/?$/m.exec(texts.join("\n"))?.[1];
}

/** How this machine gets to the registries. */
async function machineEnvironment(): Promise<string> {
  const { stdout: registry } = await execa("npm", ["config", "get", "registry"]);
  const proxies = Object.entries(process.env).filter(([name]) => /^(https?|no)_proxy$/i.test(name));
  const variables = {
    ...Object.fromEntries(proxies),
    npm_config_registry: registry,
    NODE_EXTRA_CA_CERTS: "/etc/ssl/certs/ca-certificates.crt",
  };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'\n`);
  return lines.join("");
}
