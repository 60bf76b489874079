import assert from "node:assert/strict";
import { readFile, rm, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";

import { messageOf } from "../../host/failure.ts";
import { lines } from "../../host/host.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { dockerState, ensureDocker, ensureLibvirt, libvirtState } from "../../toolchain/daemons.ts";
import { isReady } from "../e2e/cluster.ts";
import { succeeded, tail, TestLab } from "../e2e/lab.ts";
import { pullsFromRegistry } from "../e2e/registry.ts";

const uri = "qemu:///system";

/** Daemons, and what goes on without them; by their command lines. */
const daemons = [
  /^(\S*\/)?(dockerd|containerd|containerd-shim\S*|docker-proxy|libvirtd|virtlogd)(\s|$)/,
  /^\S*dnsmasq .*\/libvirt\//,
];

interface Process {
  readonly pid: number;
  readonly command: string;
}

/**
 * What a reboot of this host does to daemons and labs, without the reboot: everything of Docker and libvirt dies at once,
 * and what lies in memory is gone (bridges, network namespaces, mounts, `/run`).
 *
 * @throws where systemd would start the daemons again at once, and where others than this lab would lose their machines.
 */
class HostPower {
  private constructor(
    private readonly lab: string,
    private readonly bridge: string,
  ) {}

  static async of(lab: string, bridge: string): Promise<HostPower> {
    if ((await stat("/run/systemd/system").catch(() => undefined)) !== undefined) {
      throw new Error("systemd runs the daemons of this host: reboot it to see what comes back");
    }
    const domains = await linesOf("virsh", "-q", "-c", uri, "list", "--name");
    const containers = await linesOf("docker", "ps", "--format", "{{.Names}}");
    const foreign = [...domains, ...containers].filter((name) => !name.startsWith(`${lab}-`));
    if (foreign.length > 0) {
      throw new Error(`others would lose their power as well: ${foreign.join(", ")}`);
    }
    return new HostPower(lab, bridge);
  }

  /** Cuts it: nobody is asked to end, and nothing is written down. */
  async cut(): Promise<void> {
    // What runs in containers dies with the first process of each.
    const containers = await linesOf("docker", "ps", "--quiet");
    const inits = await linesOf("docker", "inspect", "--format", "{{.State.Pid}}", ...containers);
    const alive = await this.#running();
    for (const pid of [...alive.map((each) => each.pid), ...inits.map(Number)]) kill(pid);
    await waitUntil(
      { what: "the daemons to be dead", timeoutSeconds: 30, pollMilliseconds: 200 },
      async () => {
        const alive = await this.#running();
        for (const { pid } of alive) kill(pid);
        return alive.length === 0 ? undefined : alive.map(({ command }) => command).join("; ");
      },
    );
    await this.#loseMemory();
  }

  /** Starts the daemons as the toolchain does on a host without systemd, one after the other. */
  async restore(order: readonly ("docker" | "libvirt")[]): Promise<void> {
    const say = (line: string): void => console.log(`      ${line}`);
    for (const daemon of order) {
      if (daemon === "docker") {
        const ensurePackages = (names: readonly string[]): Promise<void> =>
          Promise.reject(new Error(`Docker ran without ${names.join(", ")}`));
        await ensureDocker(await dockerState(), { progress: say, ensurePackages });
      } else {
        await ensureLibvirt(uri, await libvirtState(uri), say);
      }
      // What it starts by itself comes after its first answer.
      await sleep(5000);
    }
  }

  async #running(): Promise<Process[]> {
    const ours = [...daemons, new RegExp(`^\\S*qemu-system-\\S+ .*guest=${this.lab}-`)];
    const all = await linesOf("ps", "-eww", "-o", "pid=,args=");
    const found = all.map((line) => {
      const [pid = "", command = ""] = line.split(/ (.*)/);
      return { pid: Number(pid), command };
    });
    return found.filter(({ command }) => ours.some((each) => each.test(command)));
  }

  async #loseMemory(): Promise<void> {
    for (const folder of await mounted(/^\/(run|var\/run)\/docker\/|^\/var\/lib\/docker\//)) {
      await execa("umount", ["--lazy", folder], { reject: false });
    }
    for (const runtime of ["docker", "docker.pid", "docker.sock", "libvirt", "libvirtd.pid"]) {
      await rm(`/run/${runtime}`, { recursive: true, force: true });
    }
    // Those of containers that are gone: runc does not start a container in what another kernel would not have. On a busy
    // host the last processes in them take their time to end.
    const cgroups = ["/sys/fs/cgroup", "-depth", "-type", "d", "-path", "*/docker/*"];
    await waitUntil(
      { what: "the containers' cgroups to be gone", timeoutSeconds: 60, pollMilliseconds: 500 },
      async () => {
        await execa("find", [...cgroups, "-delete"], { reject: false });
        return (await linesOf("find", ...cgroups))[0];
      },
    );
    await execa("ip", ["link", "delete", this.bridge, "type", "bridge"]);
    const links = await linesOf("ip", "-o", "link", "show");
    const left = links.filter((line) => line.includes(this.bridge) || /\bvnet\d/.test(line));
    if (left.length > 0) {
      throw new Error(`${this.lab} still has links of this host: ${left.join("; ")}`);
    }
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function mounted(where: RegExp): Promise<readonly string[]> {
  const table = await readFile("/proc/self/mounts", "utf8");
  return table
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((folder) => where.test(folder))
    .reverse();
}

async function linesOf(program: string, ...args: readonly string[]): Promise<readonly string[]> {
  return lines((await execa(program, args, { timeout: 60_000 })).stdout);
}

const controlPlane = "kindows-reboot-control-plane";
const nodes = [controlPlane, "win-1"];

/** Longest for everything to be Ready once the daemons answer: an emulated machine boots in a minute or two. */
const readySeconds = 600;

/** Everything of Docker and libvirt dies as with the host's power, and their daemons are started again. */
describe("a reboot of the host is survived, without up", function () {
  this.bail(true);

  const lab = new TestLab("e2ereboot");

  before(async () => {
    await lab.configure({
      lab: { name: "reboot" },
      network: { cidr: "192.168.155.0/24" },
      nodes: [{ name: "win-1" }],
      registry: true,
    });
    await lab.kindows("down");
    await succeeded(lab.kindows("up"), "up");
  });
  after(() => lab.remove());

  /** Ready, by word of a kubelet that has been heard since. */
  async function readySince(time: Date): Promise<void> {
    const what = `${nodes.join(" and ")} to be Ready, heard of since the power came back`;
    await waitUntil({ what, timeoutSeconds: readySeconds, pollMilliseconds: 3000 }, async () => {
      try {
        const [found, renewals] = await Promise.all([lab.nodes(), lab.leaseRenewals()]);
        const back = found
          .filter((node) => isReady(node))
          .map(({ metadata }) => metadata.name)
          .filter((name) => new Date(renewals.get(name) ?? 0) > time)
          .sort();
        return back.join() === nodes.join() ? undefined : `back: ${back.join(", ") || "none"}`;
      } catch (error) {
        return tail(messageOf(error), 1);
      }
    });
  }

  async function isAsBefore(): Promise<void> {
    await succeeded(lab.kindows("doctor"));
    await lab.plansNothing();
    await pullsFromRegistry(lab, controlPlane);
  }

  it("by itself, when libvirt comes first", async () => {
    const power = await HostPower.of("kindows-reboot", "kw-reboot");
    await power.cut();
    const time = new Date();
    await power.restore(["libvirt", "docker"]);
    await readySince(time);
    await isAsBefore();
  });

  it("with the doctor's help, when Docker comes first and makes libvirt's bridge its own", async () => {
    const power = await HostPower.of("kindows-reboot", "kw-reboot");
    await power.cut();
    const time = new Date();
    await power.restore(["docker", "libvirt"]);
    const found = await lab.kindows("doctor");
    assert.equal(found.exitCode, 1, tail(found.output));
    for (const line of [
      "- libvirt network kindows-reboot",
      "- libvirt domain kindows-reboot-win-1",
    ]) {
      assert.ok(found.output.includes(line), tail(found.output));
    }
    await succeeded(lab.kindows("doctor", "--fix"));
    await readySince(time);
    await isAsBefore();
  });
});
