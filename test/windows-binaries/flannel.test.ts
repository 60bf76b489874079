import assert from "node:assert/strict";
import { CoreV1Api } from "@kubernetes/client-node";

import { remoteEndpoint, type Network, type Policy } from "../../rehearsal/windows/hns/objects.ts";
import { callPlugin } from "./cni-plugin.ts";
import { joinWithFlannel, linuxNode, makeLinuxNode, ownPods } from "./flannel-node.ts";
import { podTests } from "./pods.ts";
import { processOf } from "./processes.ts";
import { TestCluster, waitFor } from "./test-cluster.ts";
import { nodeAddress } from "./test-programs.ts";
import { WineMachine } from "./wine-machine.ts";

const logPath = "C:\\var\\log\\flanneld\\flanneld.log";
const configuration = "10-flannel.conflist";
const sandbox = "0123456789abcdef";

describe("flanneld.exe and its CNI plugins, as the steps install them", function () {
  this.bail(true);

  let cluster: TestCluster;
  let machine: WineMachine;
  let core: CoreV1Api;

  before(async () => {
    cluster = await TestCluster.start();
    core = cluster.makeClient(CoreV1Api);
    await makeLinuxNode(core, "vxlan");
    machine = await WineMachine.start();
  });
  after(async () => {
    await machine.stop();
    await cluster.stop();
  });

  const network = (): Network | undefined =>
    machine.windows.state.hns.networks.find(({ Name }) => Name === "flannel.4096");
  const policies = (type: string): readonly Policy["Settings"][] =>
    (network()?.Policies ?? []).filter(({ Type }) => Type === type).map(({ Settings }) => Settings);

  it("makes its network on the node's adapter, with the node's own range, VNI and the way to other nodes", async () => {
    await joinWithFlannel(cluster, machine, "vxlan");
    await waitFor("the route to the Linux node's pods", () =>
      Promise.resolve(policies("RemoteSubnetRoute").length === 1),
    );
    const [subnet] = network()?.Ipams[0]?.Subnets ?? [];
    assert.equal(subnet?.IpAddressPrefix, ownPods);
    assert.deepEqual(subnet.Policies, [{ Type: "VSID", Settings: { IsolationId: 4096 } }]);
    assert.deepEqual(policies("RemoteSubnetRoute"), [
      {
        DestinationPrefix: linuxNode.pods,
        IsolationId: 4096,
        ProviderAddress: linuxNode.address,
        DistributedRouterMacAddress: linuxNode.mac,
      },
    ]);
    assert.equal(policies("HostRoute").length, 1, "so that the node reaches its own pods");
  });

  it("tells the other nodes its address and MAC, with kubelet's account", async () => {
    const node = await core.readNode({ name: machine.windows.computerName });
    const annotation = (name: string): string | undefined =>
      node.metadata?.annotations?.[`flannel.alpha.coreos.com/${name}`];
    assert.equal(annotation("public-ip"), nodeAddress);
    const [router] = policies("DrMacAddress");
    assert.deepEqual(JSON.parse(annotation("backend-data") ?? "{}"), {
      VNI: 4096,
      VtepMAC: String(router?.["Address"]).replaceAll("-", ":").toLowerCase(),
    });
    assert.match(
      await machine.read("C:\\run\\flannel\\subnet.env"),
      /^FLANNEL_SUBNET=10\.244\.1\./m,
    );
  });

  it("follows nodes that come and go", async () => {
    const other = { name: "worker-2", pods: "10.244.3.0/24", address: "192.168.250.13" };
    await makeLinuxNode(core, "vxlan", { ...other, mac: "66:01:02:03:04:06" });
    const routes = () =>
      policies("RemoteSubnetRoute").map((settings) => settings["DestinationPrefix"]);
    await waitFor("its route", () => Promise.resolve(routes().includes(other.pods)));
    await core.deleteNode({ name: other.name });
    await waitFor("the route's end", () => Promise.resolve(!routes().includes(other.pods)));
  });

  it("gives a pod its endpoint: address, gateway and policies; and takes it back, twice", async () => {
    const { hns } = machine.windows;
    const namespace = await hns.create("namespace", { Type: "Host" });
    const added = await callPlugin(machine, configuration, { command: "ADD", sandbox, namespace });
    assert.equal(added.exitCode, 0, added.stdout + added.stderr);
    const [endpoint, ...others] = machine.windows.state.hns.endpoints.filter(
      ({ Flags }) => (Flags & remoteEndpoint) === 0,
    );
    assert.ok(endpoint);
    assert.deepEqual(others, []);
    assert.equal(endpoint.Name, `${sandbox}_flannel.4096`);
    assert.equal(endpoint.HostComputeNamespace.toLowerCase(), namespace.toLowerCase());
    assert.deepEqual(endpoint.Routes, [{ NextHop: "10.244.1.1", DestinationPrefix: "0.0.0.0/0" }]);
    const address = endpoint.IpConfigurations[0]?.IpAddress ?? "";
    assert.match(address, /^10\.244\.1\.\d+$/);
    const { ips } = JSON.parse(added.stdout) as { ips: { address: string }[] };
    assert.deepEqual(
      ips.map((each) => each.address),
      [`${address}/24`],
    );
    const of = (type: string) =>
      endpoint.Policies.filter(({ Type }) => Type === type).map(({ Settings }) => Settings);
    assert.deepEqual(of("ProviderAddress"), [{ ProviderAddress: nodeAddress }]);
    assert.deepEqual(of("SDNRoute"), [{ DestinationPrefix: "10.96.0.0/16", NeedEncap: true }]);

    for (const time of ["once", "twice"]) {
      const deleted = await callPlugin(machine, configuration, {
        command: "DEL",
        sandbox,
        namespace,
      });
      assert.equal(deleted.exitCode, 0, `${time}: ${deleted.stdout}${deleted.stderr}`);
      assert.deepEqual(machine.windows.state.hns.endpoints, [], time);
    }
    await hns.delete("namespace", namespace);
  });

  it("is started again by Windows, and keeps its network", async () => {
    const before = network()?.ID;
    process.kill(processOf("flanneld.exe"), "SIGKILL");
    await waitFor("the second run", async () =>
      /Found existing HostComputeNetwork/.test(await machine.read(logPath)),
    );
    assert.equal(network()?.ID, before);
    await waitFor("the way to the Linux node", () =>
      Promise.resolve(policies("RemoteSubnetRoute").length === 1),
    );
  });

  it("makes its network anew after HNS has lost it", async () => {
    const before = network()?.ID;
    await machine.windows.services.stop("flanneld");
    machine.windows.hns.forget();
    assert.equal(network(), undefined, "it does not outlive HNS");
    await machine.windows.services.start("flanneld");
    await waitFor("the network and its route", async () => {
      if (policies("RemoteSubnetRoute").length === 1) return true;
      throw new Error((await machine.read(logPath)).slice(-8000));
    });
    assert.notEqual(network()?.ID, before);
  });

  podTests("vxlan", () => ({ machine, core }));
});

describe("flanneld.exe with plain routes", function () {
  this.bail(true);

  let cluster: TestCluster;
  let machine: WineMachine;
  let core: CoreV1Api;

  before(async () => {
    cluster = await TestCluster.start();
    core = cluster.makeClient(CoreV1Api);
    await makeLinuxNode(core, "host-gw");
    machine = await WineMachine.start();
  });
  after(async () => {
    await machine.stop();
    await cluster.stop();
  });

  const routed = () =>
    machine.windows.routesInForce.filter(({ destination }) => destination.startsWith("10.244."));

  it("makes its bridge with an address of the machine's, and Windows' routes to the other nodes' pods", async () => {
    await joinWithFlannel(cluster, machine, "host-gw");
    await waitFor("the route to the Linux node's pods", async () => {
      if (routed().length > 0) return true;
      throw new Error((await machine.read(logPath)).slice(-8000));
    });
    const { networks, endpoints } = machine.windows.state.hns;
    assert.deepEqual(
      networks.map(({ Name, Type }) => [Name, Type]),
      [["cbr0", "L2Bridge"]],
    );
    assert.equal(networks[0]?.Ipams[0]?.Subnets[0]?.IpAddressPrefix, ownPods);
    const [bridge] = endpoints;
    assert.deepEqual(
      [bridge?.Name, bridge?.IpConfigurations[0]?.IpAddress, bridge?.Attached?.SystemType],
      ["cbr0_ep", "10.244.1.2", "Host"],
    );
    assert.deepEqual(routed(), [{ destination: linuxNode.pods, nextHop: linuxNode.address }]);
  });

  it("gives a pod an endpoint on the bridge, whose own address no pod gets", async () => {
    const namespace = await machine.windows.hns.create("namespace", { Type: "Host" });
    const added = await callPlugin(machine, configuration, { command: "ADD", sandbox, namespace });
    assert.equal(added.exitCode, 0, added.stdout + added.stderr);
    const pod = machine.windows.state.hns.endpoints.find(({ Name }) => Name !== "cbr0_ep");
    assert.deepEqual(pod?.Routes, [{ NextHop: "10.244.1.2", DestinationPrefix: "0.0.0.0/0" }]);
    assert.notEqual(pod.IpConfigurations[0]?.IpAddress, "10.244.1.2");
    const encapsulated = pod.Policies.filter(({ Type }) => Type === "SDNRoute");
    assert.deepEqual(
      encapsulated.map(({ Settings }) => Settings["DestinationPrefix"]),
      ["10.96.0.0/16", `${nodeAddress}/32`],
    );
    const deleted = await callPlugin(machine, configuration, {
      command: "DEL",
      sandbox,
      namespace,
    });
    assert.equal(deleted.exitCode, 0, deleted.stdout + deleted.stderr);
    await machine.windows.hns.delete("namespace", namespace);
  });

  it("removes the route of a node that is gone, and brings it back", async () => {
    await core.deleteNode({ name: linuxNode.name });
    await waitFor("the route's end", () => Promise.resolve(routed().length === 0));
    await makeLinuxNode(core, "host-gw");
    await waitFor("the route", () => Promise.resolve(routed().length === 1));
  });

  podTests("host-gw", () => ({ machine, core }));
});
