import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CoreV1Api, V1Container, V1Pod } from "@kubernetes/client-node";
import { execa } from "execa";

import {
  type FlannelBackend,
  flannelHnsNetwork,
} from "../../components/cni/flannel/flannel-config.ts";
import { remoteEndpoint } from "../../rehearsal/windows/hns/objects.ts";
import { ranges } from "./flannel-node.ts";
import { LinuxNode, linuxPod } from "./linux-node.ts";
import { waitFor } from "./test-cluster.ts";
import { nodeAddress, testPrograms } from "./test-programs.ts";
import type { WineMachine } from "./wine-machine.ts";

const namespace = "default";
const port = 8080;

/** A Service's address. */
const clusterIP = "10.96.0.77";

/** A probe that passes once a command in the pod has its answers. */
const asking = (...urls: readonly string[]): V1Container["readinessProbe"] => ({
  exec: { command: ["curl", "--silent", "--fail", "--max-time", "5", ...urls] },
  periodSeconds: 1,
  timeoutSeconds: 20,
});

interface JoinedNode {
  readonly machine: WineMachine;
  readonly core: CoreV1Api;
}

/**
 * Tests of pods on a Windows node that has joined, beside a Linux node: kubelet.exe, the CRI server, Flannel's plugins and
 * agnhost.exe are the real ones.
 */
export function podTests(backend: FlannelBackend, joined: () => JoinedNode): void {
  describe("pods of its node", () => {
    let machine: WineMachine;
    let core: CoreV1Api;
    let linux: LinuxNode;

    before(async () => {
      ({ machine, core } = joined());
      const { agnhostWindows, rehearsalCurl } = testPrograms();
      await machine.addImage("agnhost", {
        agnhost: join(agnhostWindows, "agnhost.exe"),
        "curl.exe": join(rehearsalCurl, "curl.exe"),
      });
      linux = await LinuxNode.start(backend);
      await joinOverlay(backend);
    });
    after(() => linux.stop());

    /** By the Windows node's annotations, as a Linux node's flanneld does. */
    async function joinOverlay(to: FlannelBackend): Promise<void> {
      if (to !== "vxlan") return;
      await waitFor("flanneld's annotation", async () => {
        const { metadata } = await core.readNode({ name: "win-1" });
        const data = metadata?.annotations?.["flannel.alpha.coreos.com/backend-data"];
        if (data === undefined) return false;
        await linux.joinOverlay((JSON.parse(data) as { VtepMAC: string }).VtepMAC);
        return true;
      });
    }

    async function createPod(name: string, more: Partial<V1Container> = {}): Promise<void> {
      const agnhost: V1Container = {
        name: "agnhost",
        image: "registry.k8s.io/e2e-test-images/agnhost:2.63.0",
        args: ["netexec", `--http-port=${port}`, "--udp-port=-1"],
        readinessProbe: { httpGet: { path: "/hostname", port }, periodSeconds: 1 },
        ...more,
      };
      await core.createNamespacedPod({
        namespace,
        body: {
          metadata: { name },
          spec: {
            nodeName: "win-1",
            os: { name: "windows" },
            automountServiceAccountToken: false,
            terminationGracePeriodSeconds: 1,
            dnsPolicy: "None",
            dnsConfig: { nameservers: [linuxPod], searches: ["default.svc.cluster.local"] },
            containers: [agnhost],
          },
        },
      });
    }

    /** Balances a Service with the Linux pod, as kube-proxy does. */
    async function makeService(): Promise<void> {
      const { hns, state } = machine.windows;
      const network = state.hns.networks.find(({ Name }) => Name === flannelHnsNetwork(backend));
      const endpoint = await hns.create(
        "endpoint",
        { Name: "linux", IpConfigurations: [{ IpAddress: linuxPod }], Flags: remoteEndpoint },
        { network: network?.ID ?? "" },
      );
      await hns.create("loadBalancer", {
        ...{ HostComputeEndpoints: [endpoint], FrontendVIPs: [clusterIP] },
        PortMappings: [{ Protocol: 6, InternalPort: port, ExternalPort: 80 }],
      });
    }

    const isReady = ({ status }: V1Pod): boolean =>
      (status?.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");

    async function makePod(name: string, more: Partial<V1Container> = {}): Promise<V1Pod> {
      await createPod(name, more);
      let pod: V1Pod = {};
      await waitFor(`the pod ${name}`, async () => {
        pod = await core.readNamespacedPod({ name, namespace });
        if (isReady(pod)) return true;
        throw new Error(`${await complaints()}\n${await nodeLog()}`);
      });
      return pod;
    }

    async function removePods(left: readonly string[]): Promise<void> {
      const { items } = await core.listNamespacedPod({ namespace });
      const names = items.map(({ metadata }) => metadata?.name ?? "");
      for (const name of names.filter((each) => !left.includes(each))) {
        await core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 1 });
      }
      await waitFor("the pods' end", async () => {
        const { items } = await core.listNamespacedPod({ namespace });
        if (items.length === left.length) return true;
        throw new Error(await nodeLog());
      });
    }

    /** What kubelet has to say of the pods. */
    async function complaints(): Promise<string> {
      const { items } = await core.listNamespacedEvent({ namespace });
      return items.map(({ message }) => message).join("\n");
    }

    async function nodeLog(): Promise<string> {
      const log = await machine.read("C:\\var\\log\\containerd\\rehearsal-cri.log");
      return log.slice(-4000);
    }

    const addressOf = ({ status }: V1Pod): string => status?.podIP ?? "";
    /** The pods' network namespaces. */
    const spaces = async (): Promise<string[]> =>
      (await execa("ip", ["netns", "list"])).stdout.match(/^pod\d+/gm) ?? [];
    const inSpace = async (name: string, ...command: readonly string[]): Promise<string> =>
      (await execa("ip", ["netns", "exec", name, ...command])).stdout;
    /** Addresses that host-local has given away, but for the bridge's own, which no pod gets. */
    async function reserved(): Promise<string[]> {
      const folder = `C:\\var\\lib\\cni\\networks\\${flannelHnsNetwork(backend)}`;
      const files = readdirSync(await machine.windows.drive.resolve(folder));
      const own = backend === "host-gw" ? "10.244.1.2" : "";
      return files.filter((name) => /^[\d.]+$/.test(name) && name !== own);
    }

    let first: V1Pod;

    it("become ready by kubelet's probe of their own address, and their program has their name", async () => {
      first = await makePod("first");
      assert.match(addressOf(first), /^10\.244\.1\.\d+$/);
      assert.equal(await linux.get(`http://${addressOf(first)}:${port}/hostname`), "first");
    });

    it("are reached from a Linux pod with its own address, and two of them on one port", async () => {
      const asked = await linux.get(`http://${addressOf(first)}:${port}/clientip`);
      assert.equal(asked.replace(/:\d+$/, ""), linuxPod);
      const second = await makePod("second");
      assert.notEqual(addressOf(second), addressOf(first));
      assert.equal(await linux.get(`http://${addressOf(second)}:${port}/hostname`), "second");
    });

    it("reach a Linux pod, a Service by its name, and each other, with their own address, from commands that kubelet runs in them", async () => {
      await linux.serve(port);
      await linux.serveNames({ "linux.default.svc.cluster.local": clusterIP });
      await makeService();
      const third = await makePod("third", {
        readinessProbe: asking(`http://${linuxPod}:${port}/`, "http://linux/"),
      });
      assert.deepEqual([...new Set(linux.askedBy)], [addressOf(third)]);
      await makePod("fourth", {
        readinessProbe: asking(`http://${addressOf(first)}:${port}/hostname`),
      });
    });

    it("have the endpoint's MAC, and write logs", async () => {
      const { endpoints } = machine.windows.state.hns;
      const own = endpoints.find(({ IpConfigurations }) =>
        IpConfigurations.some(({ IpAddress }) => IpAddress === addressOf(first)),
      );
      const macs = await Promise.all(
        (await spaces()).map((name) => inSpace(name, "cat", "/sys/class/net/eth0/address")),
      );
      assert.ok(macs.includes(own?.MacAddress.replaceAll("-", ":").toLowerCase() ?? ""));
      const folder = await machine.windows.drive.resolve("C:\\var\\log\\pods");
      const [log = ""] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
        (name) => name.includes("_first_") && name.endsWith(".log"),
      );
      assert.match(readFileSync(join(folder, log), "utf8"), /Started HTTP server on port 8080/);
    });

    it("leave nothing: neither endpoint, namespace nor the reserved address", async () => {
      await removePods(["first"]);
      assert.equal((await spaces()).length, 1);
      assert.equal(machine.windows.state.hns.namespaces.length, 1);
      assert.deepEqual(await reserved(), [addressOf(first)]);
      assert.equal(await linux.get(`http://${addressOf(first)}:${port}/hostname`), "first");
    });

    if (backend === "vxlan") {
      const configuration = "C:\\etc\\cni\\net.d\\10-flannel.conflist";
      /** Creates a pod with other texts in the configuration, and puts the texts back once `judge` is done. */
      async function withChanged(
        from: string,
        to: string,
        judge: (name: string) => Promise<void>,
        more?: Partial<V1Container>,
      ): Promise<void> {
        const text = await machine.read(configuration);
        assert.ok(text.includes(from), text);
        await machine.windows.drive.write(configuration, text.replaceAll(from, to));
        await createPod("changed", more);
        await judge("changed");
        await machine.windows.drive.write(configuration, text);
        await removePods(["first"]);
      }

      it("are not made with another network's name", () =>
        withChanged('"flannel.4096"', '"flannel.4097"', () =>
          waitFor("kubelet's complaint", async () =>
            /the pod network flannel\.4097: .*(network|not found)/i.test(await complaints()),
          ),
        ));

      it("are not reached if their packets would come from another machine", () =>
        withChanged(nodeAddress, "192.168.250.99", async (name) => {
          let pod: V1Pod = {};
          await waitFor("its container", async () => {
            pod = await core.readNamespacedPod({ name, namespace });
            return pod.status?.containerStatuses?.[0]?.state?.running !== undefined;
          });
          await assert.rejects(linux.get(`http://${addressOf(pod)}:${port}/hostname`));
          assert.ok(!isReady(await core.readNamespacedPod({ name, namespace })));
        }));

      it("reach a Linux pod with the machine's address without the exception of the pods' range", () =>
        withChanged(
          `"${ranges.podCidr}",`,
          "",
          (name) =>
            waitFor("the pod", async () => {
              const pod = await core.readNamespacedPod({ name, namespace });
              if (!isReady(pod)) return false;
              assert.ok(!linux.askedBy.includes(addressOf(pod)), linux.askedBy.join());
              return true;
            }),
          { readinessProbe: asking(`http://${linuxPod}:${port}/`) },
        ));
    }

    it("have no network after HNS has lost their endpoints, and can be removed", async () => {
      await machine.windows.hns.stop();
      await machine.windows.hns.start();
      assert.deepEqual(await spaces(), []);
      await assert.rejects(linux.get(`http://${addressOf(first)}:${port}/hostname`));
      await removePods([]);
      assert.deepEqual(await reserved(), []);
    });
  });
}
