import assert from "node:assert/strict";
import { type Recording, recordedStack } from "./recorded-stack.ts";

const ssh = {
  address: "192.168.122.220",
  hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKphE3dBBLzRwJ0sWmnVSVEdyaYzKdVVZ3sXJsr5mJpT",
};

/** As the founding document tells it: a machine on libvirt's own network, and a new cluster with two Linux workers. */
const settings = {
  lab: { name: "own" },
  network: { libvirtNetwork: "default", cidr: "192.168.122.0/24" },
  login: { privateKeyFile: "/home/me/.ssh/id_ed25519" },
  cluster: { workers: [{ name: "worker-1" }, { name: "worker-2" }] },
  nodes: [{ name: "win-1", ssh, labels: { "example.com/mine": "yes" } }],
};

describe("a lab with the user's own machine and network", () => {
  let preview: Recording;
  before(async () => (preview = await recordedStack("dev-2025", { settings })));

  const names = (type: string): string[] =>
    preview.resources.filter((one) => one.type === type).map(({ name }) => name);

  it("makes neither machine nor network, pool or disk", () =>
    assert.deepEqual(
      preview.resources.filter(({ type }) => /^libvirt:/.test(type)).map(({ name }) => name),
      [],
    ));

  it("claims the machine, and sets it up and joins it with the same steps as one that it makes", () => {
    const commands = names("command:local:Command");
    for (const name of ["win-1-machine", "lab-containers"]) {
      assert.ok(commands.includes(name), name);
    }
    for (const step of ["test-windowshost", "install-containerd", "join-node"]) {
      assert.ok(names("command:remote:Command").includes(`win-1-${step}`), step);
    }
    assert.deepEqual(names("kubernetes:apps/v1:DaemonSet").sort(), [
      "flannel",
      "kube-proxy-windows",
    ]);
  });

  it("has Docker adopt the network's bridge", () => {
    const network = preview.resources.find(({ type }) => type === "docker:index/network:Network");
    const { ipamConfigs, options } = network?.inputs ?? {};
    const [{ subnet, gateway } = {}] = ipamConfigs as { subnet?: string; gateway?: string }[];
    assert.deepEqual([subnet, gateway], ["192.168.122.0/24", "192.168.122.1"]);
    assert.equal((options as Record<string, string>)["com.docker.network.bridge.name"], "virbr0");
  });

  it("has machines of both kinds on a network of its own", async () => {
    const own = { ...ssh, address: "10.0.0.220", port: 2222 };
    const nodes = [{ name: "win-1" }, { name: "win-2", nodeIp: "192.168.180.20", ssh: own }];
    const { resources } = await recordedStack("dev-2025", {
      settings: { login: settings.login, nodes },
    });
    const machines = resources.filter(
      ({ type, name }) => type === "libvirt:index/domain:Domain" || name.endsWith("-machine"),
    );
    assert.deepEqual(machines.map(({ name }) => name).sort(), ["win-1", "win-2-machine"]);
  });
});
