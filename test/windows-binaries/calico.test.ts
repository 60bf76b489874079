import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  CoreV1Api,
  NetworkingV1Api,
  type V1ContainerStatus,
  type V1Pod,
} from "@kubernetes/client-node";
import { execa } from "execa";

import { calicoHnsNetwork, calicoOnWindows } from "../../components/cni/calico/existing.ts";
import {
  gatewayOf,
  remoteEndpoint,
  type Endpoint,
  type Network,
  type Policy,
} from "../../rehearsal/windows/hns/objects.ts";
import { imagesOfCalico } from "../../rehearsal/image/calico-programs.ts";
import { calicoNamespace, CalicoOperator } from "./calico-operator.ts";
import { callPlugin } from "./cni-plugin.ts";
import { dnsServer, linuxNode, makeNode } from "./flannel-node.ts";
import { kubeProxyName } from "../../components/kubeproxy/kube-proxy-objects.ts";
import { makeEndpoints, makeKubeProxyPod, makeService } from "./kube-proxy-node.ts";
import { LinuxNode, linuxPod } from "./linux-node.ts";
import { processesOf } from "./processes.ts";
import { assertDone, runStep } from "../unit/rehearsal/machine/step-runner.ts";
import { TestCluster, waitFor } from "./test-cluster.ts";
import { nodeAddress, testPrograms } from "./test-programs.ts";
import { addExternalNetwork, joinNode } from "./windows-node.ts";
import { WineMachine } from "./wine-machine.ts";

const linuxBlock = "10.244.2.0/26";
const port = 8080;

/** Longest wait for Calico's pod: its scripts wait ten seconds each, its probes too. */
const calicoSeconds = 240;

/** What Calico stores of a block of addresses. */
interface Block {
  /** For each address the number of its attributes; null if nobody has it. */
  readonly allocations: readonly (number | null)[];
  readonly attributes: readonly { readonly secondary?: Readonly<Record<string, string>> }[];
}

const nodeConditions = ({ status }: { status?: V1Pod["status"] }): readonly string[] =>
  (status?.conditions ?? []).filter(({ status }) => status === "True").map(({ type }) => type);

describe("Calico on a Windows node, as its operator installs it", function () {
  this.bail(true);

  let cluster: TestCluster;
  let machine: WineMachine;
  let core: CoreV1Api;
  let operator: CalicoOperator;
  let linux: LinuxNode | undefined;
  let calicoPod = "";

  before(async function () {
    const { calico, agnhostWindows, kubeProxyWindows } = testPrograms();
    if (calico === undefined) {
      console.log("      NOT RUN: there are no archives of Calico's programs in ../shared/calico");
      this.skip();
    }
    cluster = await TestCluster.start();
    core = cluster.makeClient(CoreV1Api);
    operator = new CalicoOperator(cluster);
    await operator.start();
    await makeLinuxNode();
    machine = await WineMachine.start();
    for (const image of imagesOfCalico) {
      const folder = join(calico.windows, image);
      const files = readdirSync(folder).map((name) => [name, join(folder, name)]);
      await machine.addImage(image, Object.fromEntries(files) as Record<string, string>);
    }
    await machine.addImage("agnhost", { agnhost: join(agnhostWindows, "agnhost.exe") });
    const kubeProxy = join(kubeProxyWindows, "kube-proxy.exe");
    await machine.addImage("kube-proxy", { "kube-proxy\\kube-proxy.exe": kubeProxy });
    await joinMachine();
    await operator.startTypha(linuxNode.name);
  });
  after(async () => {
    await linux?.stop();
    await machine.stop();
    await cluster.stop();
  });

  /** Makes the machine a node, by the steps of `up`. */
  async function joinMachine(): Promise<void> {
    await machine.installContainerd();
    await machine.installKubernetes();
    await addExternalNetwork(machine, "External");
    await joinNode(cluster, machine);
  }

  /** A Linux node by what Calico has written there. */
  async function makeLinuxNode(): Promise<void> {
    await operator.create("clusterinformations", "ClusterInformation", "default", {
      ...{ datastoreReady: true, clusterType: "k8s" },
    });
    const free = Array.from({ length: 64 }, (_, index) => index);
    await operator.create("ipamblocks", "IPAMBlock", "10-244-2-0-26", {
      ...{ cidr: linuxBlock, affinity: `host:${linuxNode.name}` },
      ...{ strictAffinity: true, deleted: false },
      ...{ allocations: free.map(() => null), unallocated: free, attributes: [] },
    });
    await operator.create("blockaffinities", "BlockAffinity", `${linuxNode.name}-10-244-2-0-26`, {
      ...{ type: "host", cidr: linuxBlock, node: linuxNode.name },
      ...{ state: "confirmed", deleted: "false" },
    });
    // The Windows node has claimed it, too, and was cut off before it saw that it came second.
    await operator.create("blockaffinities", "BlockAffinity", "win-1-10-244-2-0-26", {
      ...{ type: "host", cidr: linuxBlock, node: "win-1" },
      ...{ state: "pending", deleted: "false" },
    });
    await makeNode(core, linuxNode.name, linuxNode.address, {
      "projectcalico.org/IPv4Address": `${linuxNode.address}/24`,
      "projectcalico.org/IPv4VXLANTunnelAddr": "10.244.2.0",
      "projectcalico.org/VXLANTunnelMACAddr": linuxNode.mac,
    });
  }

  const hns = () => machine.windows.state.hns;
  // Not by the names that the product has for them, as kube-proxy finds them.
  const network = (): Network | undefined =>
    hns().networks.find(({ Name, Type }) => Type === "Overlay" && Name !== "External");
  const policies = (type: string): readonly Policy["Settings"][] =>
    (network()?.Policies ?? []).filter(({ Type }) => Type === type).map(({ Settings }) => Settings);
  const routerMac = (): string =>
    String(policies("DrMacAddress")[0]?.["Address"]).replaceAll("-", ":").toLowerCase();
  const pods = (): string => network()?.Ipams[0]?.Subnets[0]?.IpAddressPrefix ?? "";
  const addressOf = (endpoint: Endpoint | undefined): string =>
    endpoint?.IpConfigurations[0]?.IpAddress ?? "";
  /** Of Calico's own endpoint, which has the address after the gateway. */
  function hostAddress(): string {
    const [subnet] = network()?.Ipams[0]?.Subnets ?? [];
    const parts = (subnet ? gatewayOf(subnet) : "").split(".");
    const next = [...parts.slice(0, -1), Number(parts.at(-1)) + 1].join(".");
    return addressOf(hns().endpoints.find((each) => addressOf(each) === next));
  }
  /** Endpoints of pods on the node. */
  const podEndpoints = (): readonly Endpoint[] =>
    hns().endpoints.filter(({ Flags }) => (Flags & remoteEndpoint) === 0);

  /** What the containers of pods with such a name have written so far. */
  async function podLog(pod: string, container = ""): Promise<string> {
    const folder = await machine.windows.drive.resolve("C:\\var\\log\\pods");
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.includes(`_${pod}_`) && name.endsWith(".log"))
      .filter((name) => name.includes(`/${container}`))
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("");
  }

  async function whyNot(pod: V1Pod): Promise<string> {
    const { name = "", namespace = "" } = pod.metadata ?? {};
    const { items } = await core.listNamespacedEvent({ namespace });
    const log = await podLog(name);
    const cri = await machine.read("C:\\var\\log\\containerd\\rehearsal-cri.log");
    return [
      JSON.stringify(pod.status?.initContainerStatuses),
      JSON.stringify(pod.status?.containerStatuses),
      ...items.map(({ message }) => message),
      ...[log.slice(-6000), cri.slice(-2000), ...machine.log.slice(-20)],
    ].join("\n");
  }

  async function becomesReady(name: string, namespace: string): Promise<V1Pod> {
    let pod: V1Pod = {};
    await waitFor(
      `the pod ${name}`,
      async () => {
        pod = await core.readNamespacedPod({ name, namespace });
        if (nodeConditions(pod).includes("Ready")) return true;
        throw new Error(await whyNot(pod));
      },
      calicoSeconds,
    );
    return pod;
  }

  it("its pod becomes ready by its own probes, with its own scripts, and so does the node", async () => {
    await makeKubeProxyPod(cluster, calicoHnsNetwork);
    calicoPod = await operator.place(calicoOnWindows.name, "win-1");
    const { status } = await becomesReady(calicoPod, calicoNamespace);
    const ended = (each: V1ContainerStatus): unknown[] => [
      each.name,
      each.state?.terminated?.exitCode,
    ];
    assert.deepEqual((status?.initContainerStatuses ?? []).map(ended), [
      ["uninstall-calico", 0],
      ["install-cni", 0],
    ]);
    const restarts = (status?.containerStatuses ?? []).map((each) => [
      each.name,
      each.restartCount,
    ]);
    assert.deepEqual(restarts.sort(), [
      ["felix", 0],
      ["node", 0],
    ]);
    const lines = (await podLog(calicoPod)).split("\n");
    assert.deepEqual(
      // What uninstall-calico.ps1 shows of containerd's configuration is no text of the interpreter's.
      lines.filter((line) => /rehearsed(?!: left out: \[\S+MatchInfo\])/.test(line)),
      [],
      "modelled containers, or scripts that the interpreter cannot run",
    );
    await waitFor("the node", async () =>
      nodeConditions(await core.readNode({ name: "win-1" })).includes("Ready"),
    );
  });

  /** Makes a pod that serves HTTP. @returns its address */
  async function makePod(name: string): Promise<string> {
    const namespace = "default";
    await core.createNamespacedPod({
      namespace,
      body: {
        metadata: { name },
        spec: {
          ...{ nodeName: "win-1", os: { name: "windows" }, terminationGracePeriodSeconds: 1 },
          automountServiceAccountToken: false,
          containers: [
            {
              name: "agnhost",
              image: "registry.k8s.io/e2e-test-images/agnhost:2.63.0",
              args: ["netexec", `--http-port=${port}`, "--udp-port=-1"],
              readinessProbe: { httpGet: { path: "/hostname", port }, periodSeconds: 1 },
            },
          ],
        },
      },
    });
    return (await becomesReady(name, namespace)).status?.podIP ?? "";
  }

  /** Blocks of addresses by the names of the nodes that claim them. */
  async function claims(): Promise<readonly (readonly [node: string, block: string])[]> {
    const all = await operator.list<Readonly<Record<"node" | "cidr", string>>>("blockaffinities");
    return Object.values(all).map(({ node, cidr }) => [node, cidr]);
  }

  /** Addresses of the node's block that Calico has given to pods. */
  async function allocated(): Promise<string[]> {
    const blocks = await operator.list<Block>("ipamblocks");
    const { allocations, attributes } = blocks[pods().replaceAll(/[./]/g, "-")] ?? assert.fail();
    const [network = "", last] = /^(.*\.)(\d+)\//.exec(pods())?.slice(1) ?? [];
    return allocations.flatMap((attribute, index) => {
      const of = attribute === null ? undefined : attributes[attribute]?.secondary;
      return of?.["pod"] === undefined ? [] : [`${network}${Number(last) + index}`];
    });
  }

  it("makes its network in HNS, with a block of the pool, and tells the node's Linux side", async () => {
    // Calico's pod is ready before Felix has made it.
    await waitFor(
      "Calico's endpoint",
      async () => {
        const isThere = hostAddress() !== "";
        const pod = await core.readNamespacedPod(kubeProxyName);
        if (nodeConditions(pod).includes("Ready")) assert.ok(hostAddress() !== "", "too early");
        return isThere;
      },
      calicoSeconds,
    );
    assert.equal(network()?.Type, "Overlay");
    assert.match(pods(), /^10\.244\.\d+\.\d+\/26$/);
    assert.notEqual(pods(), linuxBlock);
    const expected = [
      [linuxNode.name, linuxBlock],
      ["win-1", pods()],
    ];
    assert.deepEqual([...(await claims())].sort(), expected.sort(), "its second claim is gone");
    const [subnet] = network()?.Ipams[0]?.Subnets ?? [];
    assert.deepEqual(subnet?.Policies, [{ Type: "VSID", Settings: { IsolationId: 4096 } }]);
    let annotations: Readonly<Record<string, string>> = {};
    const told = (name: string): string | undefined => annotations[`projectcalico.org/${name}`];
    await waitFor("the node's annotations", async () => {
      annotations = (await core.readNode({ name: "win-1" })).metadata?.annotations ?? {};
      return told("VXLANTunnelMACAddr") !== undefined;
    });
    assert.equal(told("IPv4Address")?.replace(/\/.*/, ""), nodeAddress);
    assert.equal(told("IPv4VXLANTunnelAddr"), subnet && gatewayOf(subnet));
    assert.equal(told("VXLANTunnelMACAddr")?.toLowerCase(), routerMac());
  });

  it("Felix has the way to the Linux node's block from Typha, by the operator's certificates", async () => {
    await waitFor("the route", () => Promise.resolve(policies("RemoteSubnetRoute").length > 0));
    assert.deepEqual(policies("RemoteSubnetRoute"), [
      {
        ...{ DestinationPrefix: linuxBlock, IsolationId: 4096 },
        ProviderAddress: linuxNode.address,
        DistributedRouterMacAddress: linuxNode.mac.replaceAll(":", "-"),
      },
    ]);
    const lines = (await podLog(calicoPod, "felix")).split("\n");
    const connected = lines.filter((line) => /typha/i.test(line) && !line.includes("config=&"));
    assert.ok(
      connected.some((line) => line.includes("Connected to Typha")),
      connected.join("\n"),
    );
  });

  it("the node's folders have its plugins and their account, as containers wrote them through their own", async () => {
    for (const name of ["calico.exe", "calico-ipam.exe"]) {
      assert.equal(await machine.windows.drive.isFile(`C:\\opt\\cni\\bin\\${name}`), true, name);
    }
    assert.match(await machine.read("C:\\etc\\cni\\net.d\\calico-kubeconfig"), /token:/);
    const conflist = await machine.read("C:\\etc\\cni\\net.d\\10-calico.conflist");
    const { plugins } = JSON.parse(conflist) as { plugins: Record<string, unknown>[] };
    assert.deepEqual([plugins[0]?.["nodename"], plugins[0]?.["vxlan_vni"]], ["win-1", 4096]);
  });

  it("a pod gets an endpoint with an address of the block, and packets go to it and back", async () => {
    const address = await makePod("web");
    const endpoint = podEndpoints().find((each) => addressOf(each) === address);
    assert.match(endpoint?.MacAddress ?? "", /^0E-2A-/i);
    assert.deepEqual(endpoint?.Dns.ServerList, [dnsServer]);
    linux = await LinuxNode.start("vxlan", pods());
    await linux.joinOverlay(routerMac());
    const asked = await linux.get(`http://${address}:${port}/clientip`);
    assert.equal(asked.replace(/:\d+$/, ""), linuxPod);
    assert.equal(await linux.get(`http://${address}:${port}/hostname`), "web");
    await linux.serve(port);
    const dialed = `request=hostname&protocol=http&host=${linuxPod}&port=${port}&tries=1`;
    await linux.get(`http://${address}:${port}/dial?${dialed}`);
    assert.deepEqual(linux.askedBy, [address]);
  });

  it("Felix keeps from a pod what a NetworkPolicy denies, until it is gone", async () => {
    const address = addressOf(
      podEndpoints().find(({ HostComputeNamespace }) => HostComputeNamespace),
    );
    const answers = async (): Promise<boolean> =>
      linux?.get(`http://${address}:${port}/hostname`).then(
        (name) => name === "web",
        () => false,
      ) ?? false;
    assert.equal(await answers(), true);
    const networking = cluster.makeClient(NetworkingV1Api);
    const [name, namespace] = ["closed", "default"];
    const spec = { podSelector: {}, policyTypes: ["Ingress"] };
    await networking.createNamespacedNetworkPolicy({
      namespace,
      body: { metadata: { name }, spec },
    });
    await waitFor("the policy's effect", async () => !(await answers()));
    await networking.deleteNamespacedNetworkPolicy({ name, namespace });
    await waitFor("its end", answers);
  });

  /** Addresses among which a Service's own is balanced. */
  const backends = (vip: string): string[] => {
    const balancer = hns().loadBalancers.find((each) => each.FrontendVIPs.includes(vip));
    return (balancer?.HostComputeEndpoints ?? []).map((id) =>
      addressOf(machine.windows.hns.endpoint(id)),
    );
  };
  const balanced = (vip: string, count: number): Promise<void> =>
    waitFor("the load balancer", async () => {
      if (backends(vip).length === count) return true;
      throw new Error(await podLog(kubeProxyName.name));
    });

  it("kube-proxy has the address of Calico's endpoint as its source, to which Linux pods answer", async () => {
    await becomesReady(kubeProxyName.name, kubeProxyName.namespace);
    const clusterIP = "10.96.0.77";
    const [local = ""] = podEndpoints().map(addressOf);
    const nodes = { "win-1": local, [linuxNode.name]: linuxPod };
    await makeService(cluster, "web", clusterIP, nodes);
    await balanced(clusterIP, 2);
    assert.deepEqual(backends(clusterIP).sort(), [linuxPod, local].sort());
    const balancer = hns().loadBalancers.find((each) => each.FrontendVIPs.includes(clusterIP));
    assert.equal(balancer?.SourceVIP, hostAddress());
    // A machine has a default route.
    const route = [clusterIP, "dev", "tested"];
    await execa("ip", ["route", "add", ...route]);
    await waitFor("an answer of the Linux pod's to the node", async () => {
      await execa("curl", ["--fail", "--max-time", "5", "--noproxy", "*", `http://${clusterIP}`]);
      return linux?.askedBy.includes(hostAddress()) ?? false;
    });
    await execa("ip", ["route", "delete", ...route]);
  });

  it("the pod finds a Service by the cluster's DNS server, a Service too, and reaches it with its own address", async () => {
    const clusterIP = "10.96.0.78";
    const onLinux = { [linuxNode.name]: linuxPod };
    await makeService(cluster, "linux", clusterIP, onLinux);
    const dns = { name: "kube-dns", namespace: "kube-system" };
    await makeEndpoints(cluster, dns, { protocol: "UDP", port: 53 }, onLinux);
    await linux?.serveNames({ "linux.default.svc.cluster.local": clusterIP });
    for (const vip of [clusterIP, dnsServer]) await balanced(vip, 1);
    const [address = ""] = podEndpoints().map(addressOf);
    const earlier = linux?.askedBy.length;
    const dialed = "request=hostname&protocol=http&host=linux&port=80&tries=1";
    const answer = await linux?.get(`http://${address}:${port}/dial?${dialed}`);
    assert.deepEqual(linux?.askedBy.slice(earlier), [address], answer);
  });

  it("a node that was removed and joins again has the block that it had, behind another MAC, and nothing else of its pods", async () => {
    const before = { block: pods(), mac: routerMac(), claims: await claims() };
    await core.deleteNode({ name: "win-1" });
    // As Kubernetes' garbage collector does, which waits for 40 s.
    for (const namespace of ["default", calicoNamespace, kubeProxyName.namespace]) {
      const { items } = await core.listNamespacedPod({ namespace });
      for (const { metadata } of items.filter(({ spec }) => spec?.nodeName === "win-1")) {
        const name = metadata?.name ?? "";
        await core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 0 });
      }
    }
    await assertDone(runStep(machine, "Reset-Node"), true, { wasJoined: true });
    assert.deepEqual([hns().networks, hns().endpoints, hns().namespaces], [[], [], []]);
    await joinMachine();
    calicoPod = await operator.place(calicoOnWindows.name, "win-1");
    await becomesReady(calicoPod, calicoNamespace);
    await waitFor("Calico's endpoint", () => Promise.resolve(hostAddress() !== ""), calicoSeconds);
    assert.deepEqual([pods(), await claims()], [before.block, before.claims]);
    assert.notEqual(routerMac(), before.mac);
    await waitFor("the node's annotation", async () => {
      const { metadata } = await core.readNode({ name: "win-1" });
      const told = metadata?.annotations?.["projectcalico.org/VXLANTunnelMACAddr"];
      return told?.toLowerCase() === routerMac();
    });
    const address = await makePod("web");
    await linux?.stop();
    linux = await LinuxNode.start("vxlan", pods());
    await linux.joinOverlay(routerMac());
    assert.equal(await linux.get(`http://${address}:${port}/hostname`), "web");
    assert.deepEqual(await allocated(), [address]);
  });

  it("the pod's end, after HNS has lost its endpoint, leaves nothing, and another DEL finds nothing to do; Calico's own leaves the node's folders", async () => {
    const remove = async (name: string, namespace: string): Promise<void> => {
      await core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 1 });
      await waitFor(
        `the end of ${name}`,
        async () =>
          !(await core.listNamespacedPod({ namespace })).items.some(
            ({ metadata }) => metadata?.name === name,
          ),
        calicoSeconds,
      );
    };
    const endpoint = podEndpoints().find(({ HostComputeNamespace }) => HostComputeNamespace);
    assert.ok(endpoint);
    // As a restart of HNS does.
    await machine.windows.hns.delete("endpoint", endpoint.ID);
    await remove("web", "default");
    assert.deepEqual(podEndpoints(), []);
    const again = await callPlugin(machine, "10-calico.conflist", {
      ...{ command: "DEL", pod: "web", namespace: endpoint.HostComputeNamespace },
      sandbox: endpoint.Name.replace(/_.*/, ""),
    });
    assert.equal(again.exitCode, 0, again.stdout + again.stderr);
    assert.deepEqual(podEndpoints(), []);
    assert.ok(hostAddress() !== "", "the node's own endpoint stays");
    await remove(calicoPod, calicoNamespace);
    await waitFor("the end of Calico's programs", () =>
      Promise.resolve(processesOf("calico-node.exe").length === 0),
    );
    const roots = await machine.windows.drive.resolve("C:\\C");
    await waitFor(
      "the end of its containers' files",
      () => Promise.resolve(!readdirSync(roots).some((id) => existsSync(join(roots, id, "opt")))),
      calicoSeconds,
    );
    assert.equal(await machine.windows.drive.isFile("C:\\opt\\cni\\bin\\calico.exe"), true);
  });
});
