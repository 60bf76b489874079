import assert from "node:assert/strict";
import { copyFile, mkdir, readFile, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import {
  ApiextensionsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  PatchStrategy,
  RbacAuthorizationV1Api,
  setHeaderOptions,
  type V1CustomResourceDefinition,
} from "@kubernetes/client-node";
import { execa } from "execa";
import { parseAllDocuments } from "yaml";

import { definitionsName } from "../../components/cni/calico/definitions-artifact.ts";
import type { ProgramResult, RunOptions } from "../../rehearsal/machine/programs.ts";
import {
  gatewayOf,
  remoteEndpoint,
  type Network,
  type Policy,
} from "../../rehearsal/windows/hns/objects.ts";
import { linuxNode, ranges } from "./flannel-node.ts";
import { LinuxNode, linuxPod } from "./linux-node.ts";
import { TestCluster, waitFor } from "./test-cluster.ts";
import { clusterAddress, clusterName, nodeAddress, testPrograms } from "./test-programs.ts";
import { WineMachine } from "./wine-machine.ts";

const namespace = "calico-system";
/** The folder of a HostProcess container, in which Calico's programs look for their volumes. */
const mountPoint = "C:\\C\\0123";
const account = `${mountPoint}\\var\\run\\secrets\\kubernetes.io\\serviceaccount`;
const block = "10.244.2.0/26";
const port = 8080;

/** What the operator gives its containers, as far as it matters here (tigera/operator, pkg/render/windows.go). */
const variables = [
  `CONTAINER_SANDBOX_MOUNT_POINT=${mountPoint}`,
  ...["CNI_PLUGIN_TYPE=Calico", "DATASTORE_TYPE=kubernetes", "WAIT_FOR_DATASTORE=true"],
  ...["CALICO_NETWORKING_BACKEND=vxlan", "VXLAN_VNI=4096", "KUBE_NETWORK=Calico.*"],
  ...["NODENAME=win-1", "IP=autodetect", "IP_AUTODETECTION_METHOD=kubernetes-internal-ip"],
  ...["IP6=none", "FELIX_IPV6SUPPORT=false", "FELIX_HEALTHENABLED=true", "CALICO_MANAGE_CNI=true"],
  ...[`KUBERNETES_SERVICE_HOST=${clusterAddress}`, "KUBERNETES_SERVICE_PORT=6443"],
  // Of config.ps1, node-service.ps1 and felix-service.ps1.
  ...[
    "FELIX_LOGSEVERITYFILE=none",
    "FELIX_LOGSEVERITYSYS=none",
    "CALICO_NODENAME_FILE=.\\nodename",
  ],
  ...["FELIX_FELIXHOSTNAME=win-1", "FELIX_METADATAADDR=none", "FELIX_VXLANVNI=4096"],
  ...["VXLAN_MAC_PREFIX=0E-2A", "STARTUP_VALID_IP_TIMEOUT=90", "CALICO_K8S_NODE_REF=win-1"],
];

/** The CNI configuration that the operator gives install.exe. */
const cniConfig = {
  name: "Calico",
  cniVersion: "0.3.1",
  plugins: [
    {
      ...{ type: "calico", name: "Calico", windows_use_single_network: true, mode: "vxlan" },
      ...{ vxlan_mac_prefix: "0E-2A", vxlan_vni: 4096, mtu: 0, policy: { type: "k8s" } },
      ...{
        log_file_path: "c:/var/log/calico/cni/cni.log",
        windows_loopback_DSR: "__DSR_SUPPORT__",
      },
      ...{ capabilities: { dns: true }, nodename: "__KUBERNETES_NODE_NAME__" },
      ...{ nodename_file: "__NODENAME_FILE__", nodename_file_optional: true },
      ...{ datastore_type: "kubernetes", ipam: { type: "calico-ipam", subnet: "usePodCidr" } },
      kubernetes: {
        kubeconfig: "c:/etc/cni/net.d/calico-kubeconfig",
        k8s_api_root: `https://${clusterAddress}:6443`,
      },
      DNS: { Nameservers: ["10.96.0.10"], Search: ["svc.cluster.local"] },
      policies: [
        {
          Name: "EndpointPolicy",
          Value: { Type: "OutBoundNAT", ExceptionList: [ranges.serviceCidr] },
        },
        {
          Name: "EndpointPolicy",
          Value: { Type: "SDNROUTE", DestinationPrefix: ranges.serviceCidr, NeedEncap: true },
        },
      ],
    },
  ],
};

describe("Calico's programs for Windows", function () {
  this.bail(true);

  let cluster: TestCluster;
  let machine: WineMachine;
  let core: CoreV1Api;
  let linux: LinuxNode | undefined;
  const ended = new AbortController();

  before(async function () {
    const { calicoWindows } = testPrograms();
    if (calicoWindows === undefined) {
      console.log("      NOT RUN: there is no ../shared/calico/windows.tar.xz");
      this.skip();
    }
    cluster = await TestCluster.start();
    core = cluster.makeClient(CoreV1Api);
    machine = await WineMachine.start();
    await machine.wine.setHostsEntries([{ address: clusterAddress, names: [clusterName] }]);
    await makeCalicosObjects();
    await makeAccount();
    await makeFiles(calicoWindows);
    await makeExternalNetwork();
  });
  after(async () => {
    ended.abort();
    await linux?.stop();
    await machine.stop();
    await cluster.stop();
  });

  async function makeCalicosObjects(): Promise<void> {
    const file = join(testPrograms().calicoDefinitions, definitionsName);
    const api = cluster.makeClient(ApiextensionsV1Api);
    const all = parseAllDocuments(await readFile(file, "utf8"))
      .map((each) => each.toJS() as V1CustomResourceDefinition)
      .filter(({ spec }) => !spec.group.startsWith("operator"));
    // Not by its own client, which loses fields whose names it does not know.
    for (const body of all) {
      await cluster.makeClient(CustomObjectsApi).createClusterCustomObject({
        ...{ group: "apiextensions.k8s.io", version: "v1", plural: "customresourcedefinitions" },
        body,
      });
    }
    await waitFor("Calico's definitions", async () => {
      const { items } = await api.listCustomResourceDefinition();
      return items.every(({ status }) =>
        status?.conditions?.some(({ type, status }) => type === "Established" && status === "True"),
      );
    });
    const make = (plural: string, name: string, spec: object): Promise<unknown> => {
      const kind = all.find((each) => each.spec.names.plural === plural)?.spec.names.kind;
      const type = { group: "crd.projectcalico.org", version: "v1", plural };
      return cluster.makeClient(CustomObjectsApi).createClusterCustomObject({
        ...type,
        body: { apiVersion: `${type.group}/${type.version}`, kind, metadata: { name }, spec },
      });
    };
    await make("ippools", "default-ipv4-ippool", {
      ...{ cidr: ranges.podCidr, blockSize: 26, vxlanMode: "Always", ipipMode: "Never" },
      ...{ natOutgoing: true, nodeSelector: "all()", allowedUses: ["Workload", "Tunnel"] },
    });
    await make("ipamconfigs", "default", { strictAffinity: true, autoAllocateBlocks: true });
    await make("clusterinformations", "default", { datastoreReady: true, clusterType: "k8s" });
    // A Linux node by what Calico has written there.
    const free = Array.from({ length: 64 }, (_, index) => index);
    await make("ipamblocks", "10-244-2-0-26", {
      ...{ cidr: block, affinity: "host:worker-1", strictAffinity: true, deleted: false },
      ...{ allocations: free.map(() => null), unallocated: free, attributes: [] },
    });
    await make("blockaffinities", "worker-1-10-244-2-0-26", {
      ...{ cidr: block, node: "worker-1", state: "confirmed", deleted: "false" },
    });
    const node = async (name: string, address: string, annotations: Record<string, string>) => {
      const labels = { "kubernetes.io/os": name === "win-1" ? "windows" : "linux" };
      await core.createNode({ body: { metadata: { name, annotations, labels } } });
      await core.patchNodeStatus(
        { name, body: { status: { addresses: [{ type: "InternalIP", address }] } } },
        setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
      );
    };
    await node(linuxNode.name, linuxNode.address, {
      "projectcalico.org/IPv4Address": `${linuxNode.address}/24`,
      "projectcalico.org/IPv4VXLANTunnelAddr": "10.244.2.0",
      "projectcalico.org/VXLANTunnelMACAddr": linuxNode.mac,
    });
    await node("win-1", nodeAddress, {});
  }

  /** The accounts of Calico's programs. Here they may do everything. */
  async function makeAccount(): Promise<void> {
    await core.createNamespace({ body: { metadata: { name: namespace } } });
    const apiGroup = "rbac.authorization.k8s.io";
    for (const name of ["calico-node", "calico-cni-plugin"]) {
      await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name } } });
      await cluster.makeClient(RbacAuthorizationV1Api).createClusterRoleBinding({
        body: {
          metadata: { name },
          roleRef: { apiGroup, kind: "ClusterRole", name: "cluster-admin" },
          subjects: [{ kind: "ServiceAccount", name, namespace }],
        },
      });
    }
  }

  /** The containers' files: programs, volumes, and links to the machine's folders. */
  async function makeFiles(from: string): Promise<void> {
    const { drive } = machine.windows;
    const copy = async (source: string, path: string): Promise<void> => {
      const target = await drive.resolve(path);
      await mkdir(dirname(target), { recursive: true });
      await copyFile(join(from, source), target);
    };
    await copy(
      "node-windows/CalicoWindows/calico-node.exe",
      `${mountPoint}\\CalicoWindows\\calico-node.exe`,
    );
    for (const [name, source] of [
      ...[["calico.exe"], ["install.exe"]],
      // In the image it is the same program.
      ["calico-ipam.exe", "calico.exe"],
    ]) {
      const target = `${mountPoint}\\opt\\cni\\bin\\${name}`;
      await copy(`cni-windows/opt/cni/bin/${source ?? name}`, target);
    }
    for (const path of ["opt\\cni\\bin", "etc\\cni\\net.d"]) {
      const target = await drive.resolve(`C:\\${path}`);
      const link = await drive.resolve(`${mountPoint}\\host\\${path}`);
      await mkdir(target, { recursive: true });
      await mkdir(dirname(link), { recursive: true });
      await symlink(relative(dirname(link), target), link);
    }
    const { status } = await core.createNamespacedServiceAccountToken({
      ...{ name: "calico-node", namespace },
      body: { spec: { audiences: [], expirationSeconds: 3600 } },
    });
    await drive.write(`${account}\\token`, status?.token ?? "");
    await drive.write(`${account}\\namespace`, namespace);
    await drive.write(`${account}\\ca.crt`, await readFile(join(cluster.folder, "pki/ca.crt")));
  }

  /** As the step before the join makes it. */
  async function makeExternalNetwork(): Promise<void> {
    const policy = { Type: "VSID", Settings: { IsolationId: 9999 } };
    const Routes = [{ NextHop: "192.168.255.1", DestinationPrefix: "0.0.0.0/0" }];
    const Subnets = [{ IpAddressPrefix: "192.168.255.0/30", Policies: [policy], Routes }];
    const { hns } = machine.windows;
    await hns.create("network", { Name: "External", Type: "Overlay", Ipams: [{ Subnets }] });
    await waitFor("the machine's address", () => Promise.resolve(machine.windows.hasAddress));
  }

  function run(
    exe: string,
    args: readonly string[],
    more: Partial<RunOptions> = {},
  ): Promise<ProgramResult> {
    const { environment = [], ...options } = more;
    return machine.windows.programs.run(exe, args, {
      ...{ timeoutSeconds: 300, path: machine.windows.path, cwd: `${mountPoint}\\CalicoWindows` },
      environment: [...variables, ...environment],
      ...options,
    });
  }

  const network = (): Network | undefined =>
    machine.windows.state.hns.networks.find(({ Name }) => Name === "Calico");
  const policies = (type: string): readonly Policy["Settings"][] =>
    (network()?.Policies ?? []).filter(({ Type }) => Type === type).map(({ Settings }) => Settings);
  const pods = (): string => network()?.Ipams[0]?.Subnets[0]?.IpAddressPrefix ?? "";

  it("install.exe installs the plugins, their configuration and a kubeconfig", async () => {
    const { exitCode, stdout, stderr } = await run(
      `${mountPoint}\\opt\\cni\\bin\\install.exe`,
      [],
      {
        environment: [
          ...["SLEEP=false", "CNI_BIN_DIR=/host/opt/cni/bin", "CNI_CONF_NAME=10-calico.conflist"],
          ...["CNI_NET_DIR=/etc/cni/net.d", "KUBERNETES_NODE_NAME=win-1"],
          ...[
            "KUBERNETES_DNS_SERVERS=10.96.0.10",
            `KUBERNETES_SERVICE_CIDRS=${ranges.serviceCidr}`,
          ],
          `CNI_NETWORK_CONFIG=${JSON.stringify(cniConfig)}`,
        ],
      },
    );
    assert.equal(exitCode, 0, stdout + stderr);
    const written = JSON.parse(
      await machine.read("C:\\etc\\cni\\net.d\\10-calico.conflist"),
    ) as typeof cniConfig;
    assert.equal(written.plugins[0]?.nodename, "win-1");
    for (const name of ["calico.exe", "calico-ipam.exe"]) {
      assert.equal(await machine.windows.drive.isFile(`C:\\opt\\cni\\bin\\${name}`), true, name);
    }
    assert.match(await machine.read("C:\\etc\\cni\\net.d\\calico-kubeconfig"), /token:/);
  });

  it("calico-node.exe makes its network in HNS, with a block of the pool, and tells the node's Linux side", async () => {
    const { exitCode, stdout, stderr } = await run(
      `${mountPoint}\\CalicoWindows\\calico-node.exe`,
      ["-startup", "-complete-startup"],
    );
    assert.equal(exitCode, 0, stdout + stderr);
    assert.equal(network()?.Type, "Overlay");
    assert.match(pods(), /^10\.244\.\d+\.\d+\/26$/);
    assert.notEqual(pods(), block);
    const [subnet] = network()?.Ipams[0]?.Subnets ?? [];
    assert.deepEqual(subnet?.Policies, [{ Type: "VSID", Settings: { IsolationId: 4096 } }]);
    const endpoint = machine.windows.state.hns.endpoints.find(({ Name }) => Name === "Calico_ep");
    const { metadata } = await core.readNode({ name: "win-1" });
    const told = (name: string): string | undefined =>
      metadata?.annotations?.[`projectcalico.org/${name}`];
    assert.equal(told("IPv4Address")?.replace(/\/.*/, ""), nodeAddress);
    assert.equal(told("IPv4VXLANTunnelAddr"), subnet && gatewayOf(subnet));
    assert.ok(endpoint?.IpConfigurations[0]?.IpAddress);
    const [router] = policies("DrMacAddress");
    assert.equal(
      told("VXLANTunnelMACAddr")?.toLowerCase(),
      String(router?.["Address"]).replaceAll("-", ":").toLowerCase(),
    );
  });

  it("Felix writes the way to the Linux node's block, and is live and ready by its own probes", async () => {
    const written: string[] = [];
    const keep = (text: string): void => void written.push(text);
    const felix = run(`${mountPoint}\\CalicoWindows\\calico-node.exe`, ["-felix"], {
      ...{ killed: ended.signal, output: { lines: keep, error: keep } },
    });
    let end = "";
    felix.then(
      () => (end = written.join("")),
      (error: unknown) => (end = String(error)),
    );
    await waitFor("the route", () => {
      if (end !== "") throw new Error(end.slice(-4000));
      return Promise.resolve(policies("RemoteSubnetRoute").length === 1);
    });
    assert.deepEqual(policies("RemoteSubnetRoute"), [
      {
        ...{ DestinationPrefix: block, IsolationId: 4096, ProviderAddress: linuxNode.address },
        DistributedRouterMacAddress: linuxNode.mac.replaceAll(":", "-"),
      },
    ]);
    for (const probe of ["-felix-live", "-felix-ready"]) {
      await waitFor(probe, async () => {
        const { exitCode, stdout, stderr } = await run(
          `${mountPoint}\\CalicoWindows\\calico-node.exe`,
          [probe],
        );
        if (exitCode === 0) return true;
        throw new Error(stdout + stderr);
      });
    }
  });

  let pod = "";

  it("calico.exe gives a pod an endpoint with an address of the block", async () => {
    await core.createNamespacedPod({
      namespace: "default",
      body: {
        metadata: { name: "web" },
        spec: { nodeName: "win-1", containers: [{ name: "web", image: "web" }] },
      },
    });
    const { hns, state } = machine.windows;
    const id = await hns.create("namespace", { Type: "Host" });
    const added = await plugin("ADD", id);
    assert.equal(added.exitCode, 0, added.stdout + added.stderr);
    const { ips } = JSON.parse(added.stdout) as { ips: { address: string }[] };
    pod = ips[0]?.address.replace(/\/.*/, "") ?? "";
    const endpoint = state.hns.endpoints.find(
      ({ Flags, HostComputeNamespace }) =>
        (Flags & remoteEndpoint) === 0 && HostComputeNamespace.toUpperCase() === id.toUpperCase(),
    );
    assert.equal(endpoint?.IpConfigurations[0]?.IpAddress, pod);
    assert.match(endpoint.MacAddress, /^0E-2A-/i);
    assert.deepEqual(endpoint.Dns.ServerList, ["10.96.0.10"]);
  });

  it("packets go from a Linux node's pod to that pod, and back, each with its own address", async () => {
    linux = await LinuxNode.start("vxlan", pods());
    await linux.joinOverlay(String(policies("DrMacAddress")[0]?.["Address"]).replaceAll("-", ":"));
    const inPod = ["netns", "exec", "pod2"];
    const server = execa("ip", [...inPod, process.execPath, "--eval", answering(pod)], {
      cancelSignal: ended.signal,
      reject: false,
    });
    await new Promise((resolve) => server.stdout.once("data", resolve));
    assert.equal(await linux.get(`http://${pod}:${port}/`), linuxPod);
    await linux.serve(port);
    await execa("ip", [...inPod, "curl", "--silent", "--fail", `http://${linuxPod}:${port}/`]);
    assert.deepEqual(linux.askedBy, [pod]);
  });

  it("calico.exe takes the endpoint back, twice, and frees the address", async () => {
    const { hns, state } = machine.windows;
    const [{ ID } = { ID: "" }] = state.hns.namespaces;
    for (const time of ["once", "twice"]) {
      const deleted = await plugin("DEL", ID);
      assert.equal(deleted.exitCode, 0, `${time}: ${deleted.stdout}${deleted.stderr}`);
      assert.deepEqual(
        state.hns.endpoints.map(({ Name }) => Name),
        ["Calico_ep"],
        time,
      );
    }
    await hns.delete("namespace", ID);
  });

  /** Calls the plugin as containerd does. */
  async function plugin(command: "ADD" | "DEL", netns: string): Promise<ProgramResult> {
    const text = await machine.read("C:\\etc\\cni\\net.d\\10-calico.conflist");
    const { name, cniVersion, plugins } = JSON.parse(text) as typeof cniConfig;
    const sandbox = "0123456789abcdef";
    return run("C:\\opt\\cni\\bin\\calico.exe", [], {
      environment: [
        ...[`CNI_COMMAND=${command}`, `CNI_CONTAINERID=${sandbox}`, `CNI_NETNS=${netns}`],
        ...["CNI_IFNAME=eth0", "CNI_PATH=C:\\opt\\cni\\bin"],
        `CNI_ARGS=IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web;K8S_POD_INFRA_CONTAINER_ID=${sandbox}`,
      ],
      stdin: JSON.stringify({ name, cniVersion, ...plugins[0] }),
    });
  }
});

/** A program that answers with the address of who asks. */
const answering = (address: string): string => `
  require("node:http")
    .createServer((request, response) => response.end(request.socket.remoteAddress))
    .listen(${port}, "${address}", () => console.log("serves"));`;
