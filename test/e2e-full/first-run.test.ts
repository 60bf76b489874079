import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, statSync } from "node:fs";
import { appendFile, chmod, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import path from "node:path";
import { execa } from "execa";

import { nodeImage } from "../../images/node/artifact.ts";
import { archiveName } from "../../images/node/build-node-image.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { bundledPlugins } from "../../offline/plugins/catalog.ts";
import { guestTools } from "../../rehearsal/image/guest-tools.ts";
import { sha256OfFile } from "../../toolchain/cache-marker.ts";
import { ensureArtifacts } from "../../toolchain/ensure.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { pluginArtifact, pluginDownloads } from "../../cli/engine/plugin-artifact.ts";
import { localFolder, projectRoot } from "../../toolchain/project.ts";
import type { PublishedFile } from "../../toolchain/publisher.ts";
import { readSoftwareLock } from "../../toolchain/software-lock.ts";
import { ownRelease } from "../../toolchain/tools/own-release.ts";
import * as tools from "../../toolchain/tools/table.ts";
import type { Download } from "../../toolchain/tools/tool.ts";
import { succeeded, tail, printSeconds } from "../e2e/lab.ts";
import { type Finished, runAsGroup } from "../e2e/process-group.ts";
import { ip } from "./outside/network-namespace.ts";
import { zip } from "../unit/toolchain/zip-file.ts";

const dockerHub = "registry-1.docker.io";

type Answer = { readonly file: string; readonly type?: string } | { readonly text: string };

/** GitHub, dl.k8s.io and Docker Hub on one address of this machine. What they have was made here from Go modules. */
class StandInPublishers {
  /** Digest of the image that Docker Hub has as kind's node image. */
  nodeImageDigest = "";
  readonly lacking: string[] = [];
  private readonly releases = new Map<string, readonly object[]>();
  private readonly answers = new Map<string, Answer>();
  private server: ReturnType<typeof createServer> | undefined;

  constructor(private readonly folder: string) {}

  get hosts(): readonly string[] {
    const urls = [...this.answers.keys()].map((url) => new URL(url).host);
    return [...new Set(urls)];
  }

  get authority(): string {
    return path.join(this.folder, "authority.pem");
  }

  /** @param clone whose own release has the guest's programs. */
  async make(clone: string, say: (line: string) => void): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const { pulumi, terraformBridge, terraformProviderLibvirt, kubectl, kind } = tools;
    const table = [pulumi, terraformBridge, terraformProviderLibvirt, kubectl, kind];
    const plugins = bundledPlugins.map((plugin) => ({
      plugin,
      artifact: pluginArtifact(plugin, "bundled"),
    }));
    const ensurePackages = (names: readonly string[]) => ensureHostPackages(names, say);
    const ensured = await ensureArtifacts(
      [...table, ...plugins.map(({ artifact }) => artifact), ...guestTools, nodeImage],
      { progress: say, ensurePackages },
    );
    // An official one is a single file: that of a bundled one brings what is beside it.
    const standIns = path.join(this.folder, "plugins");
    await mkdir(standIns);
    for (const { plugin, artifact } of plugins) {
      const { executable } = plugin;
      const unpacked = 'folder=$(mktemp -d); tail -n +3 "$0" | tar -xz -C "$folder"';
      const script = `#!/bin/sh\n${unpacked}; exec "$folder/${executable}" "$@"\n`;
      const packed = ["-cz", "-C", ensured.path(artifact), "."];
      const { stdout } = await execa("tar", packed, { encoding: "buffer" });
      const content = Buffer.concat([Buffer.from(script), stdout]);
      await writeFile(path.join(standIns, executable), content, { mode: 0o755 });
    }
    for (const artifact of table) {
      for (const download of artifact.tool.downloads ?? []) {
        await this.publish(download, (name) =>
          name === tools.languageHost
            ? path.join(standIns, path.basename(name))
            : path.join(ensured.path(artifact), name),
        );
      }
    }
    for (const download of plugins.flatMap(({ plugin }) => pluginDownloads(plugin))) {
      await this.publish(download, (name) => path.join(standIns, name));
    }
    for (const artifact of guestTools) {
      for (const download of (await ownRelease(artifact, clone)) ?? []) {
        await this.publish(download, (name) => path.join(ensured.path(artifact), name));
      }
    }
    await this.publishNodeImage(path.join(ensured.path(nodeImage), archiveName));
  }

  private async publish(download: Download, built: (name: string) => string): Promise<void> {
    const file = path.join(this.folder, path.posix.basename(download.url));
    if ("executable" in download) {
      await cp(built(download.executable), file);
    } else if (file.endsWith(".zip")) {
      const members = Object.entries(download.members).map(
        async ([name, member]) => [member, await readFile(built(name))] as const,
      );
      await writeFile(file, zip(Object.fromEntries(await Promise.all(members))));
    } else {
      const work = path.join(this.folder, "work", path.basename(file));
      for (const [name, member] of Object.entries(download.members)) {
        await cp(built(name), path.join(work, member));
      }
      const members = Object.values(download.members);
      await execa("tar", ["-I", "gzip -1", "-cf", file, "-C", work, ...members]);
    }
    await this.vouch(download, file);
  }

  private async vouch({ url, checksumUrl = "" }: PublishedFile, file: string): Promise<void> {
    const sha256 = await sha256OfFile(file);
    const name = path.posix.basename(url);
    let text = `${sha256}  ${name}\n`;
    if (checksumUrl.startsWith("https://api.github.com/")) {
      const assets = [
        ...(this.releases.get(checksumUrl) ?? []),
        { name, digest: `sha256:${sha256}` },
      ];
      this.releases.set(checksumUrl, assets);
      text = JSON.stringify({ assets });
    }
    this.answers.set(url, { file });
    this.answers.set(checksumUrl, { text });
    this.answers.set(new URL("/", url).href, { text: "" }); // asked by who wonders whether it can be reached
  }

  private async publishNodeImage(archive: string): Promise<void> {
    const folder = path.join(this.folder, "node-image");
    await mkdir(folder);
    await execa("tar", ["-xf", archive, "-C", folder]);
    const read = async (name: string): Promise<string> => readFile(path.join(folder, name), "utf8");
    const { manifests } = JSON.parse(await read("index.json")) as {
      manifests: { digest: string }[];
    };
    this.nodeImageDigest = manifests[0]?.digest ?? "";
    const blob = (digest: string): string => path.join("blobs", digest.replace(":", "/"));
    const manifest = JSON.parse(await read(blob(this.nodeImageDigest))) as {
      mediaType: string;
      config: { digest: string };
      layers: { digest: string }[];
    };
    const image = `https://${dockerHub}/v2/kindest/node`;
    this.answers.set(`https://${dockerHub}/v2/`, { text: "{}" });
    this.answers.set(`${image}/manifests/${this.nodeImageDigest}`, {
      file: path.join(folder, blob(this.nodeImageDigest)),
      type: manifest.mediaType,
    });
    for (const { digest } of [manifest.config, ...manifest.layers]) {
      this.answers.set(`${image}/blobs/${digest}`, { file: path.join(folder, blob(digest)) });
    }
  }

  /** Answers at port 443 of an address, with a certificate by an authority of its own. */
  async listen(address: string): Promise<void> {
    const key = path.join(this.folder, "key.pem");
    const names = this.hosts.map((host) => `DNS:${host}`).join(",");
    await execa("openssl", [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-days", "2", "-subj", "/CN=stand-in", "-addext", `subjectAltName=${names}`],
      ...["-keyout", key, "-out", this.authority],
    ]);
    const identity = { key: await readFile(key), cert: await readFile(this.authority) };
    this.server = createServer(identity, (request, response) => this.answer(request, response));
    this.server.listen(443, address);
    await once(this.server, "listening");
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const url = `https://${request.headers.host ?? ""}${request.url ?? ""}`;
    const answer = this.answers.get(url);
    const withBody = request.method !== "HEAD";
    if (answer === undefined) {
      this.lacking.push(url);
      response.writeHead(404).end();
    } else if ("text" in answer) {
      response.writeHead(200, { "content-length": Buffer.byteLength(answer.text) });
      response.end(withBody ? answer.text : undefined);
    } else {
      const [, digest] = /(sha256:[0-9a-f]{64})$/.exec(url) ?? [];
      response.writeHead(200, {
        "content-length": statSync(answer.file).size,
        "content-type": answer.type ?? "application/octet-stream",
        ...(digest && { "docker-content-digest": digest }),
      });
      if (withBody) createReadStream(answer.file).pipe(response);
      else response.end();
    }
  }

  async stop(): Promise<void> {
    if (this.server === undefined) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }
}

/** The two ends of its cable; from a range for tests (RFC 2544). */
const hostAddress = "198.18.21.1";
const ownAddress = "198.18.21.2";
const cable = "kindows-first";

const user = "newcomer";

/** A new /proc, /sys and /run, this machine's devices; its first process waits for what loses its parent, as for QEMU. */
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
  import { dockerState, ensureDocker, ensureLibvirt, libvirtState } from './toolchain/daemons.ts';
  import { ensureHostPackages } from './toolchain/host-packages.ts';
  const progress = console.error;
  const ensurePackages = (names) => ensureHostPackages(names, progress);
  const uri = 'qemu:///system';
  await $what;"
`;

/** A new Debian with processes, mounts and a network of its own, and this machine's way to the registries. */
class RootFileSystem {
  private init: ChildProcess | undefined;
  private pid = "";
  private runs = 0;

  constructor(
    readonly folder: string,
    private readonly logFolder: string,
  ) {}

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

/** The mirror of Debian that this machine's apt asks first; none where it is another distribution, or says it otherwise. */
async function mirror(): Promise<string | undefined> {
  const folder = "/etc/apt/sources.list.d";
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sources"));
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")));
  return /^URIs: *(\S+\/debian)\/?$/m.exec(texts.join("\n"))?.[1];
}

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

const tellings = 5;

async function quickStart(): Promise<readonly string[]> {
  const readme = await readFile(path.join(projectRoot, "README.md"), "utf8");
  const [, block = ""] = /^## Quick start anywhere$.+?^```sh\n(.+?)^```$/ms.exec(readme) ?? [];
  return block.split("\n").filter((line) => line !== "");
}

/** Somebody with Debian and Node.js, no Go, who reads the README; root does what the messages say, no more. */
describe("the first run in a new Debian, as a user who is not root, without Go", function () {
  this.bail(true);

  let machine: RootFileSystem;
  let publishers: StandInPublishers;
  const folder = path.join(localFolder, "first-run");
  let commands: readonly string[];

  before(async function () {
    if (process.getuid?.() !== 0) {
      throw new Error(
        "this test needs root: it makes a root file system, namespaces and a network",
      );
    }
    commands = await quickStart();
    await removeFolder();
    publishers = new StandInPublishers(path.join(folder, "publishers"));
    machine = new RootFileSystem(
      path.join(folder, "root"),
      path.join(localFolder, "e2e-logs/first-run"),
    );
    await machine.make();
    await machine.clone(projectRoot);
    await publishers.make(machine.at("/home/newcomer/kindows"), (line) =>
      console.log(`      ${line}`),
    );
    await vouchForStandIns();
    await machine.start();
    await publishers.listen(hostAddress);
    await machine.believe(publishers.hosts, await readFile(publishers.authority, "utf8"));
  });
  after(async () => {
    await machine.stop();
    await publishers.stop();
    await removeFolder();
  });

  /** Only what is on its own file system: whatever is mounted in there is this machine's. */
  const removeFolder = (): Promise<unknown> =>
    execa("rm", ["-rf", "--one-file-system", folder], { timeout: 600_000 });

  /** The clone's lock without what others have than the stand-in, and with its node image. */
  async function vouchForStandIns(): Promise<void> {
    const lock = machine.at("/home/newcomer/kindows/software.lock.json");
    const kept = Object.entries(readSoftwareLock(lock)).filter(([url]) => url.includes("golang"));
    await writeFile(lock, JSON.stringify(Object.fromEntries(kept), undefined, 2));
    const image = machine.at("/home/newcomer/kindows/stacks/node-image.ts");
    const text = await readFile(image, "utf8");
    await writeFile(image, text.replace(/sha256:[0-9a-f]{64}/, publishers.nodeImageDigest));
  }

  /** Lets root do what the command tells the user to, until it tells nothing any more. */
  async function asTold(command: string): Promise<Finished> {
    const done: string[] = [];
    for (;;) {
      const finished = await machine.run(command);
      const lines = [...finished.output.matchAll(/\bsudo (.+?)(?=[;)]|[.,] |$)/gm)].map(
        ([, line = ""]) => line,
      );
      if (finished.exitCode === 0 || lines.length === 0) return finished;
      for (const line of lines) {
        assert.ok(!done.includes(line) && done.length < tellings, tail(finished.output));
        done.push(line);
        await succeeded(machine.run(line.replace("install", "install --yes"), "root"), line);
      }
    }
  }

  it("has no Go, and no privilege", async () => {
    const { output } = await machine.run("command -v go sudo; id --user");
    assert.match(output, /^\d{4}\n$/);
  });

  it("says what root has to do, and does the rest by the README's commands", async () => {
    assert.deepEqual(commands, ["make up", "make status", "make verify", "make down"]);
    for (const command of commands) {
      const finished = await succeeded(asTold(command));
      printSeconds(command, finished);
      if (command === "make up") assert.match(finished.output, /^win-1 +windows +yes /m);
    }
  });

  it("has lacked nothing of the publishers", () => assert.deepEqual(publishers.lacking, []));
});
