import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CoreV1Api, DiscoveryV1Api } from "@kubernetes/client-node";

import { flannelOnHns } from "../../components/cni/flannel/existing.ts";
import type { LoadBalancer } from "../../rehearsal/windows/hns/objects.ts";
import { joinWithFlannel, makeLinuxNode } from "./flannel-node.ts";
import { kubeProxyName } from "../../components/kubeproxy/kube-proxy-objects.ts";
import { makeKubeProxyPod, makeService } from "./kube-proxy-node.ts";
import { processesOf, processOf } from "./processes.ts";
import { TestCluster, waitFor } from "./test-cluster.ts";
import { clusterAddress, testPrograms } from "./test-programs.ts";
import { WineMachine } from "./wine-machine.ts";

const flannel = flannelOnHns("vxlan");

const { namespace, name: podName } = kubeProxyName;

/** Pods of this node, and of another one. */
const [local, remote] = ["10.244.1.5", "10.244.2.5"];
/** The first address of the node's range that host-local gives. */
const sourceVip = "10.244.1.2";
const clusterIP = "10.96.0.77";

describe("kube-proxy.exe in the pod of the shipped DaemonSet", function () {
  this.bail(true);

  let cluster: TestCluster;
  let machine: WineMachine;
  let core: CoreV1Api;
  let endpoint: string;

  before(async () => {
    cluster = await TestCluster.start();
    core = cluster.makeClient(CoreV1Api);
    machine = await WineMachine.start();
    const program = join(testPrograms().kubeProxyWindows, "kube-proxy.exe");
    await machine.addImage("kube-proxy", { "kube-proxy\\kube-proxy.exe": program });
    await makeLinuxNode(core, "vxlan");
    await joinWithFlannel(cluster, machine, "vxlan");
    endpoint = await makePodEndpoint();
  });
  after(async () => {
    await machine.stop();
    await cluster.stop();
  });

  /** The endpoint of a pod on the node. */
  async function makePodEndpoint(): Promise<string> {
    const { hns, state } = machine.windows;
    const { ID } = state.hns.networks.find(({ Name }) => Name === flannel.name) ?? assert.fail();
    const settings = { Name: "pod", IpConfigurations: [{ IpAddress: local }] };
    return hns.create("endpoint", settings, { network: ID });
  }

  const balancers = (): readonly LoadBalancer[] => machine.windows.state.hns.loadBalancers;
  const balancerOf = (vip: string): LoadBalancer | undefined =>
    balancers().find(({ FrontendVIPs }) => FrontendVIPs.includes(vip));
  /** Addresses of a load balancer's endpoints. */
  const backends = (vip: string): string[] =>
    (balancerOf(vip)?.HostComputeEndpoints ?? []).map((id) => {
      const { IpConfigurations } = machine.windows.hns.endpoint(id);
      return IpConfigurations[0]?.IpAddress ?? "";
    });

  /** What the pod's containers have written so far. */
  async function podLog(): Promise<string> {
    const folder = await machine.windows.drive.resolve("C:\\var\\log\\pods");
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.includes(podName) && name.endsWith(".log"))
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("");
  }

  it("makes HNS' load balancers of the cluster's services, from the script's arguments", async () => {
    await makeService(cluster, "web", clusterIP, { "win-1": local, "worker-1": remote });
    await makeKubeProxyPod(cluster, flannel);
    await waitFor("the load balancers", async () => {
      if (backends(clusterIP).length === 2 && balancerOf("10.96.0.1")) return true;
      throw new Error(await podLog());
    });
    const web = balancerOf(clusterIP);
    assert.deepEqual([web?.SourceVIP, web?.Flags], [sourceVip, 1], "DSR");
    const [mapping] = web?.PortMappings ?? [];
    const { Protocol, InternalPort, ExternalPort } = mapping ?? {};
    assert.deepEqual([Protocol, InternalPort, ExternalPort], [6, 8080, 80]);
    assert.deepEqual(backends(clusterIP).sort(), [local, remote]);
    assert.ok(web?.HostComputeEndpoints.includes(endpoint), "the pod's own endpoint");
    assert.deepEqual(backends("10.96.0.1"), [clusterAddress]);
    const log = await podLog();
    assert.match(
      log,
      /stdout F starting kube-proxy\.exe --hostname-override=win-1 .*--source-vip=10\.244\.1\.2/,
    );
    assert.match(log, /stderr F I\d+ .*Using Kubernetes? proxy mode|stderr F I\d+ .*kernelspace/i);
  });

  it("follows a service's endpoints", async () => {
    const slices = cluster.makeClient(DiscoveryV1Api);
    const at = { name: "web-1", namespace: "default" };
    const slice = await slices.readNamespacedEndpointSlice(at);
    const endpoints = (slice.endpoints ?? []).filter(({ addresses }) => addresses[0] === remote);
    await slices.replaceNamespacedEndpointSlice({ ...at, body: { ...slice, endpoints } });
    await waitFor("the load balancer with one endpoint", () =>
      Promise.resolve(backends(clusterIP).join() === remote),
    );
  });

  it("is started again by kubelet when it has ended, and removes what it had left", async () => {
    const before = balancers().map(({ ID }) => ID);
    process.kill(processOf("kube-proxy.exe"), "SIGKILL");
    await waitFor("the second run", async () => {
      const pod = await core.readNamespacedPod({ name: podName, namespace });
      const [status] = pod.status?.containerStatuses ?? [];
      const isAgain = status?.restartCount === 1 && status.state?.running !== undefined;
      return isAgain && status.ready && balancerOf(clusterIP) !== undefined;
    });
    const after = balancers().map(({ ID }) => ID);
    assert.deepEqual(
      after.filter((id) => before.includes(id)),
      [],
    );
    assert.match(await podLog(), /removing \d+ load balancing policies of an earlier kube-proxy/);
  });

  it("ends with its container", async () => {
    await core.deleteNamespacedPod({ name: podName, namespace, gracePeriodSeconds: 1 });
    await waitFor("the end of kube-proxy.exe", () =>
      Promise.resolve(processesOf("kube-proxy.exe").length === 0),
    );
  });
});
