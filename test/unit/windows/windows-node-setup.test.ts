import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { netConf } from "../../../components/cni/flannel/flannel-config.ts";
import { windowsCniConf } from "../../../components/cni/flannel/windows-files.ts";
import { defaultSetup } from "../../../components/windows/node-setup.ts";
import type { ProgramArtifact, WindowsSoftware } from "../../../components/windows/software.ts";
import { Anything } from "../controlplane/recorded-resources.ts";
import {
  flannelSoftware,
  makeNode,
  nodeResources as order,
  software,
  type MockedNode,
} from "./windows-node-mocks.ts";

/** Resources that not every node has. */
const additional = ({ names }: MockedNode): string[] =>
  names.filter((name) => name !== "node" && !order.includes(name));

describe("a Windows node with a setup of its own", () => {
  it("gets its proxy before anything is installed, and loses it with the setting", async () => {
    const proxy = { http: "", https: "http://proxy.test:3128", noProxy: "localhost,.svc" };
    const node = await makeNode({ setup: { ...defaultSetup, proxy } });
    assert.deepEqual(additional(node), ["node-set-machineproxy"]);
    assert.match(
      node.create("node-set-machineproxy") ?? "",
      /Set-MachineProxy\.ps1 -HttpProxy "" -HttpsProxy http:\/\/proxy\.test:3128 -NoProxy "localhost,\.svc"$/,
    );
    assert.match(
      String(node.get("node-set-machineproxy").inputs["delete"]),
      /-HttpProxy "" -HttpsProxy "" -NoProxy ""$/,
    );
    node.assertChain("node-confirm-reboot", "node-set-machineproxy", "node-install-containerd");
  });

  it("gets routes when it has joined, which Ready waits for, and loses them with the setting", async () => {
    const routes = ["10.244.0.0/16", "10.96.0.0/16"].map((range) => ({
      range,
      nextHop: "192.168.150.128",
    }));
    const node = await makeNode({ routes: pulumi.output(routes) });
    assert.deepEqual(additional(node), ["node-set-clusterroute"]);
    const { inputs, resource } = node.get("node-set-clusterroute");
    assert.match(
      String(inputs["create"]),
      /Set-ClusterRoute\.ps1 -Route "10\.244\.0\.0\/16=192\.168\.150\.128;10\.96\.0\.0\/16=192\.168\.150\.128"$/,
    );
    assert.match(String(inputs["delete"]), /Set-ClusterRoute\.ps1 -Route ""$/);
    node.assertChain("node-join-node", "node-set-clusterroute", "node-ready");
    assert.ok(!node.needs("node-registration").includes(resource));
  });

  it("gets Calico's network when all is installed, before it waits for the control plane", async () => {
    const node = await makeNode({ setup: { ...defaultSetup, podNetwork: { kind: "calico" } } });
    const names = ["node-add-externalnetwork", "node-confirm-externalnetwork"];
    assert.deepEqual(additional(node), names);
    for (const name of names) {
      assert.match(
        node.create(name) ?? "",
        /-ExternalNetwork\.ps1 -Address 192\.168\.150\.10 -DelaySeconds 5 -Network External$/,
      );
    }
    node.assertChain("node-install-kubernetes", ...names, "node-set-hostsentry");
    assert.match(node.create("node-test-windowshost") ?? "", / -PodNetwork calico$/);
  });

  describe("with Flannel", () => {
    const network = {
      backend: "vxlan",
      podCidr: "10.244.0.0/16",
      serviceCidr: "10.96.0.0/16",
      nodeCidr: "192.168.150.0/24",
    } as const;
    const setup = { ...defaultSetup, podNetwork: { kind: "flannel", network } } as const;

    it("gets the service before the join, its network after it, and is Ready after that", async () => {
      const node = await makeNode({
        setup,
        software: { ...software, ...flannelSoftware },
        nodeIp: "192.168.150.77",
      });
      const installed = node.create("node-install-flannel") ?? "";
      assert.match(installed, / -NodeName win-1 -NodeIp 192\.168\.150\.77 /);
      const files = [...installed.matchAll(/-(?:NetConf|CniConf) (\S+)/g)].map(
        ([, text = ""]) => JSON.parse(Buffer.from(text, "base64").toString()) as unknown,
      );
      assert.deepEqual(files, [
        netConf(network.podCidr, "vxlan"),
        windowsCniConf(network, "192.168.150.77"),
      ]);
      assert.match(node.create("node-test-windowshost") ?? "", / -PodNetwork flannel$/);
      assert.match(
        node.create("node-add-externalnetwork") ?? "",
        / -Address 192\.168\.150\.10 -DelaySeconds 5 -Network flannel\.4096$/,
      );
      node.assertChain(
        ...["node-install-kubernetes", "node-install-flannel", "node-set-hostsentry"],
        ...["node-join-node", "node-add-externalnetwork", "node-confirm-externalnetwork"],
        "node-ready",
      );
      // Pods that every node has need not wait for it.
      const { resource } = node.get("node-confirm-externalnetwork");
      assert.ok(!node.needs("node-registration").includes(resource));
    });

    it("is refused where its programs are not among the software", () =>
      assert.rejects(makeNode({ setup }), /win-1: Flannel is to be installed/));
  });

  it("is waited for to become Ready only once there is a network for its pods", async () => {
    // Made before the engine that takes notes is there.
    await pulumi.runtime.setMocks({
      newResource: () => ({ id: "x", state: {} }),
      call: () => ({}),
    });
    const podNetwork = new Anything("pod-network");
    const node = await makeNode({ podNetwork });
    assert.deepEqual(node.needs("node-ready"), [
      node.get("node-registration").resource,
      podNetwork,
    ]);
    // All before it goes on meanwhile.
    assert.ok(!node.needs("node-registration").includes(podNetwork));
  });

  it("passes mirrors and Defender's exclusions to Install-Containerd", async () => {
    const registryMirrors = { "docker.io": ["https://a.test", "https://b.test"] };
    const node = await makeNode({
      setup: { ...defaultSetup, registryMirrors, defenderExclusions: false, proxy: undefined },
    });
    assert.match(
      node.create("node-install-containerd") ?? "",
      / -RegistryMirrors "docker\.io=https:\/\/a\.test,https:\/\/b\.test" -DefenderExclusions 0 -CrictlPath "" -CrictlSha256 ""$/,
    );
    assert.deepEqual(additional(node), []);
  });
});

describe("a Windows node whose image carries no programs", () => {
  const fetched = import.meta.dirname;

  /** A program that is pushed from a folder of this host. */
  const fromHost = (
    name: "containerd" | "kubelet" | "kubeadm" | "kubeLogRunner",
    folder?: string,
  ): ProgramArtifact => ({
    ...software[name],
    origin: { checksumUri: "https://example.com/sum", folder },
  });
  const pushed: WindowsSoftware = {
    ...software,
    containerd: fromHost("containerd", fetched),
    kubelet: fromHost("kubelet", fetched),
    kubeadm: fromHost("kubeadm", fetched),
  };
  let node: MockedNode;
  before(async () => (node = await makeNode({ software: pushed })));

  const pushes: readonly (readonly [string, string, string])[] = [
    ["node-push-containerd", "1", "node-install-containerd"],
    ["node-push-kubelet", "2", "node-install-kubernetes"],
    ["node-push-kubeadm", "3", "node-install-kubernetes"],
  ];
  it("has these pushed to it, and what the image does carry not", () =>
    assert.deepEqual(additional(node).sort(), pushes.map(([name]) => name).sort()));

  for (const [name, digit, user] of pushes) {
    it(`${name} comes after the reboot and before the step that uses it`, () => {
      assert.deepEqual(node.needs(name), [node.get("node-confirm-reboot").resource]);
      node.assertChain(name, user);
    });

    it(`${name} goes among the media, again on a new machine or for another content`, async () => {
      const { inputs, opts } = node.get(name);
      assert.equal(inputs["remotePath"], "C:/kindows/media");
      assert.deepEqual(inputs["triggers"], ["machine-1", digit.repeat(64)]);
      assert.equal(await (inputs["source"] as pulumi.asset.FileArchive).path, fetched);
      assert.deepEqual(opts.ignoreChanges, []);
      assert.equal(opts.deletedWith, node.machine.resource);
      assert.match(opts.customTimeouts?.create ?? "", /^\d+s$/);
    });
  }

  const unfetched: readonly (readonly [string, string | undefined])[] = [
    ["was never fetched", undefined],
    ["is gone from the cache", "/no/such/folder"],
  ];
  for (const [what, folder] of unfetched) {
    const without = { software: { ...pushed, kubelet: fromHost("kubelet", folder) } };

    it(`is not made when a program ${what}`, () =>
      assert.rejects(
        makeNode(without),
        /win-1: https:\/\/example\.com\/kubelet\.exe is not in this host's cache: run `\.\/kindows fetch --stack <name>`/,
      ));

    it(`is shown by a preview when a program ${what}`, async () => {
      const preview = await makeNode(without, { preview: true });
      const push = preview.get("node-push-kubelet");
      assert.equal(push.inputs["source"], undefined);
      // Else the preview of a lab that stands would show a push that `up` does not make.
      assert.deepEqual(push.opts.ignoreChanges, ["source"]);
      assert.match(
        preview.create("node-install-kubernetes") ?? "",
        /-KubeletPath C:\\kindows\\media\\2{64}\\kubelet\.exe/,
      );
    });
  }

  it("has crictl pushed before containerd is installed, and its place passed on", async () => {
    const crictl: ProgramArtifact = {
      uri: "https://example.com/crictl.tar.gz",
      sha256: "6".repeat(64),
      origin: { checksumUri: "https://example.com/sum", folder: fetched },
    };
    const made = await makeNode({ software: { ...software, crictl } });
    made.assertChain("node-push-crictl", "node-install-containerd");
    assert.match(
      made.create("node-install-containerd") ?? "",
      / -CrictlPath C:\\kindows\\media\\6{64}\\crictl\.tar\.gz -CrictlSha256 6{64}$/,
    );
  });

  it("is not made without checksums", () => {
    const kubeadm = { ...fromHost("kubeadm"), sha256: undefined };
    return assert.rejects(
      makeNode({ software: { ...software, kubeadm } }),
      /win-1: no checksum is known for https:\/\/example\.com\/kubeadm\.exe: nothing is installed/,
    );
  });

  it("is previewed without checksums: the commands that need one are not known yet", async () => {
    const containerd = { ...fromHost("containerd"), sha256: undefined };
    const preview = await makeNode({ software: { ...software, containerd } }, { preview: true });
    assert.equal(preview.create("node-install-containerd"), undefined);
    assert.match(preview.create("node-install-kubernetes") ?? "", /Install-Kubernetes\.ps1/);
  });
});
