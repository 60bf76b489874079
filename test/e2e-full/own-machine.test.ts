import assert from "node:assert/strict";
import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { userData } from "../../components/machine/identity.ts";
import { macAddress } from "../../components/machine/mac-address.ts";
import { dhcpHosts } from "../../components/machine/libvirt/dhcp-hosts.ts";
import { leasesIn } from "../../components/network/found-network.ts";
import { labOfHost } from "../../components/network/lab-hosts.ts";
import { parseRange, contains, addressNumber } from "../../config/ipv4.ts";
import { containerAddress } from "../../host/docker.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { generateEd25519 } from "../../host/ssh/generate-ed25519.ts";
import { bareMachines, type LabSettings, succeeded, TestLab, virsh } from "../e2e/lab.ts";
import { rowsWith, verified } from "../e2e/verified.ts";
import { pullsFromRegistry } from "../e2e/registry.ts";
import { differences } from "./outside/disk-content.ts";
import { makeBaseDisk } from "./outside/estate.ts";
import { imagesFolder, outside } from "./outside/names.ts";
import { OutsideMachine } from "./outside/outside-machine.ts";
import { makeKeyFile } from "./outside/ssh-daemon.ts";

const network = "default";

/** What stays on a machine beside its new name, as docs/own-machine.md says. */
const left = ["+ drive_c/kindows/"];

/** Where Windows, and Wine in its place, write the machine's name. */
const named = /(computer|host)name|logonserver|userdomain/i;

const workers = ["worker-1", "worker-2"];

/**
 * As the project's founding document begins: a machine that the user already has, on libvirt's own network `default`, and
 * a new kind cluster with two Linux workers that it joins. The machine is a rehearsed one that libvirt alone has started.
 */
describe("the user's own machine, on libvirt's own network", function () {
  this.bail(true);

  const lab = new TestLab("e2eown");
  const nodes = [lab.controlPlane, ...workers.map((name) => `${lab.prefix}-${name}`)].sort();
  const mac = macAddress(lab.prefix, "win-1");
  const kept = (): Promise<string> => virsh("net-dumpxml", "--inactive", network);

  let wasActive: boolean;
  let description: string;
  let machine: OutsideMachine;
  let disk: Record<string, string>;
  let address: string;
  let settings: LabSettings;

  async function removeMachine(): Promise<void> {
    const domain = `${outside}-win-1`;
    await execa("virsh", ["-c", "qemu:///system", "destroy", domain], { reject: false });
    await execa("virsh", ["-c", "qemu:///system", "undefine", domain], { reject: false });
    await rm(imagesFolder, { recursive: true, force: true });
  }

  /** The address that the network's DHCP server has given to the machine. */
  async function leased(): Promise<string> {
    let found: string | undefined;
    await waitUntil({ what: "a lease of win-1", timeoutSeconds: 60 }, async () => {
      found = leasesIn(await virsh("net-dhcp-leases", network)).find(
        (one) => one.mac === mac,
      )?.address;
      return found === undefined ? "there is none" : undefined;
    });
    return found ?? "";
  }

  before(async () => {
    await lab.configure(bareMachines);
    await succeeded(lab.kindows("prepare"));
    await removeMachine();
    wasActive = (await virsh("net-list", "--name")).split("\n").includes(network);
    description = await kept();
    if (!wasActive) await virsh("net-start", network);

    await mkdir(imagesFolder, { recursive: true });
    const base = path.join(imagesFolder, "base.raw");
    const checksums = await makeBaseDisk(base, path.join(imagesFolder, "programs"));
    const login = await makeKeyFile(path.join(imagesFolder, "login"));
    const pair = generateEd25519();
    const hostKey = pair.public.trim();
    const identity = {
      computerName: "own",
      hostPrivateKey: pair.private,
      hostPublicKey: hostKey,
    };
    machine = await OutsideMachine.make({
      ...{ name: "win-1", address: "", mac, base, network },
      userData: userData({ ...identity, authorizedKeys: [login.publicKey] }),
    });
    await machine.start();
    // What a boot changes by itself is no work of a node.
    await machine.reboot();
    disk = await machine.content();
    await machine.start();
    address = await leased();
    settings = {
      network: { libvirtNetwork: network, cidr: undefined },
      cluster: { workers: workers.map((name) => ({ name })) },
      windows: { ...(bareMachines["windows"] as object), checksums },
      login: { privateKeyFile: login.file },
      nodes: [{ name: "win-1", ssh: { address, hostKey, mayRename: true } }],
      registry: true,
    };
    await lab.configure(settings);
    const privateKey = await readFile(login.file, "utf8");
    lab.machine = () =>
      Promise.resolve({ host: address, port: 22, user: "Administrator", privateKey, hostKey });
  });
  after(async () => {
    await lab.remove();
    await removeMachine();
    if (!wasActive) await virsh("net-destroy", network);
  });

  it("is refused at preview where the network is not there", async () => {
    await lab.configure({ ...settings, network: { libvirtNetwork: "nowhere", cidr: undefined } });
    const { exitCode, output } = await lab.kindows("preview");
    await lab.configure(settings);
    assert.notEqual(exitCode, 0);
    assert.match(output, /kindows:network\.libvirtNetwork: "nowhere" is no network of this host/);
    assert.equal(await kept(), description);
  });

  it("joins a new cluster with two Linux workers, after it got its node's name", async () => {
    await succeeded(lab.kindows("up"), "up");
    assert.deepEqual(await lab.readyNodes(), [...nodes, "win-1"]);
    const { addresses } = (await lab.node("win-1"))?.status as {
      addresses: { type: string; address: string }[];
    };
    assert.ok(addresses.some((one) => one.type === "InternalIP" && one.address === address));
  });

  it("has the containers at addresses that the network gives to nobody else", async () => {
    const hosts = dhcpHosts(await virsh("net-dumpxml", network));
    const own = hosts.filter((host) => labOfHost(host)?.lab === lab.prefix);
    assert.equal(own.length, 16);
    const block = parseRange(`${own[0]?.ip}/28`);
    assert.ok(block !== undefined && !contains(block, addressNumber(address) ?? 0));
    for (const node of nodes) {
      const ip = await containerAddress(node, lab.prefix);
      assert.ok(
        own.some((host) => host.ip === ip),
        `${node} ${ip}`,
      );
    }
    assert.deepEqual(dhcpHosts(await kept()), hosts);
  });

  it("has nothing to do afterwards", async () => {
    await lab.plansNothing();
  });

  it("pulls from the lab's registry, on the machine and on a worker", () =>
    pullsFromRegistry(lab, nodes.at(-1) ?? ""));

  it("opens a shell with the user's own key", async () => {
    const { output } = await succeeded(lab.kindows("ssh", "win-1", "--", "hostname"));
    assert.match(output, /win-1/i);
  });

  it("gives a cluster whose paths work, as far as rehearsed Windows has any", async () => {
    const { rows } = await verified(lab);
    assert.deepEqual(rowsWith(rows, "failed"), []);
    assert.ok(rowsWith(rows, "passed").includes("linux-pod-to-linux-pod-other-node"));
    assert.ok(rowsWith(rows, "rehearsed").includes("windows-node-to-linux-node-port"));
  });

  it("is as it was but for its name when the lab goes, and so is the network", async () => {
    await succeeded(lab.kindows("down"), "down");
    assert.equal(await kept(), description);
    const hosts = dhcpHosts(await virsh("net-dumpxml", network));
    assert.deepEqual(
      hosts.filter((host) => labOfHost(host)?.lab === lab.prefix),
      [],
    );
    assert.ok(await machine.isRunning());
    const now = await machine.content();
    assert.equal(now["Windows' computerName"], '"win-1"');
    const others = differences(disk, now).filter((line) => !named.test(line));
    assert.deepEqual(others, left);
  });
});
