import assert from "node:assert/strict";
import { appendFile, cp } from "node:fs/promises";
import path from "node:path";
import { local } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";

import { netConf, windowsCniConf } from "../../../components/cni/flannel/flannel-config.ts";
import { BootstrapToken } from "../../../components/controlplane/bootstrap-token.ts";
import { stepTriggerOf } from "../../../components/node/step-trigger.ts";
import { defaultSetup } from "../../../components/windows/node-setup.ts";
import { stepFacts } from "../../../components/node/step-result.ts";
import { installContainerd, installKubernetes } from "../../../components/windows/steps.ts";
import type { OwnScript } from "../../../components/windows/own-scripts.ts";
import { replacesPrograms } from "../../../components/windows/upgrade-drain.ts";
import type { ProgramArtifact, WindowsSoftware } from "../../../components/windows/software.ts";
import { homeSource } from "../../../components/windows/steps-copy.ts";
import { stepsSource } from "../../../components/node/steps-folder.ts";
import { WindowsNode, type WindowsNodeArgs } from "../../../components/windows/windows-node.ts";
import { commandProvider } from "../../../offline/plugins/command/provider.ts";
import { kindowsProvider } from "../../../offline/plugins/kindows/provider.ts";
import type { PropertyMap } from "../../../offline/plugins/protocol/property-value.ts";
import { type ChangeAfterUp, changesAfterUp } from "../../engine/windows/changes-after-up.ts";
import type { Variation } from "../../engine/windows/nodes-lab.ts";
import { Anything, record, revealed } from "../controlplane/recorded-resources.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";
import {
  flannelSoftware,
  makeNode,
  type MockedNode,
  nodeResources as order,
  printed,
  software,
  usualArgs,
} from "./windows-node-mocks.ts";

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

  it("gets its certificates before anything that asks a registry, and loses them with the setting", async () => {
    const certificates = [
      { sha1: "A".repeat(40), der: "QQ==" },
      { sha1: "B".repeat(40), der: "Qg==" },
    ];
    const node = await makeNode({ setup: { ...defaultSetup, certificates } });
    const name = "node-set-trustedcertificate";
    assert.deepEqual(additional(node), [name]);
    const names = certificates.map(({ sha1 }) => sha1).join(";");
    assert.ok(node.create(name)?.endsWith(`-Thumbprints "${names}"`));
    assert.match(String(node.get(name).inputs["delete"]), /-Thumbprints ""$/);
    assert.deepEqual(revealed(node.get(name).inputs["stdin"]), '{"certificates":["QQ==","Qg=="]}');
    node.assertChain("node-confirm-reboot", name, "node-install-containerd");
  });

  it("runs scripts before and after the join, each pushed before it runs", async () => {
    const script = (name: string, when: OwnScript["when"], digit: string): OwnScript => ({
      ...{
        name,
        path: import.meta.filename,
        sha256: digit.repeat(64),
        files: [],
        when,
        runs: "once",
      },
    });
    const ownScripts = [
      script("Last.ps1", "after-join", "c"),
      script("a.ps1", "before-join", "a"),
      script("b.ps1", "before-join", "b"),
      script("built.ps1", "image", "d"),
    ];
    const node = await makeNode({ setup: { ...defaultSetup, ownScripts } });
    assert.deepEqual(additional(node).sort(), [
      ...["node-invoke-scriptafterjoin", "node-invoke-scriptbeforejoin"],
      ...["node-push-a.ps1", "node-push-b.ps1", "node-push-last.ps1"],
    ]);
    const entry = (name: string, digit: string): string => `${name}=${digit.repeat(64)}=once`;
    const early = `-Scripts "${entry("a.ps1", "a")};${entry("b.ps1", "b")}" -TimeoutSeconds 3600`;
    assert.ok(node.create("node-invoke-scriptbeforejoin")?.endsWith(early));
    const late = `-Scripts ${entry("Last.ps1", "c")} -TimeoutSeconds 3600`;
    assert.ok(node.create("node-invoke-scriptafterjoin")?.endsWith(late));
    const push = node.get("node-push-a.ps1").inputs;
    assert.equal(push["remotePath"], `C:/kindows/media/${"a".repeat(64)}.ps1`);
    assert.equal(stepTriggerOf(push)?.sha256, "a".repeat(64));
    node.assertChain("node-install-kubernetes", "node-push-b.ps1", "node-invoke-scriptbeforejoin");
    node.assertChain("node-invoke-scriptbeforejoin", "node-set-hostsentry");
    node.assertChain("node-join-node", "node-push-last.ps1", "node-invoke-scriptafterjoin");
    assert.ok(node.needs("node-ready").includes(node.get("node-invoke-scriptafterjoin").resource));
  });

  it("is not waited for where nothing makes it Ready", async () => {
    const node = await makeNode({ awaitsReady: false });
    assert.deepEqual(node.names, ["node", ...order.filter((name) => name !== "node-ready")]);
    assert.equal(node.node.resource, node.node.registered);
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
        /-ExternalNetwork\.ps1 -Address 192\.168\.150\.10 -DelaySeconds 15 -Network External$/,
      );
    }
    node.assertChain("node-install-kubernetes", ...names, "node-set-hostsentry");
    assert.match(node.create("node-test-windowshost") ?? "", / -PodNetwork calico$/);
  });

  it("gets OVN's hybrid overlay after the join, on a switch that it had before it", async () => {
    const podNetwork = { kind: "ovn-kubernetes", vxlanPort: 9898 };
    const setup = { ...defaultSetup, podNetwork };
    const { cniPlugins, flannel: hybridOverlay } = flannelSoftware;
    const node = await makeNode({ setup, software: { ...software, cniPlugins, hybridOverlay } });
    assert.match(
      node.create("node-install-hybridoverlay") ?? "",
      / -PodCidr 10\.244\.0\.0\/16 -ServiceCidr 10\.96\.0\.0\/16 -VxlanPort 9898 /,
    );
    assert.match(node.create("node-add-externalnetwork") ?? "", / -Network External$/);
    assert.match(node.create("node-test-windowshost") ?? "", / -PodNetwork none$/);
    node.assertChain(
      ...["node-install-kubernetes", "node-add-externalnetwork", "node-confirm-externalnetwork"],
      ...["node-set-hostsentry", "node-join-node", "node-install-hybridoverlay", "node-ready"],
    );
    await assert.rejects(makeNode({ setup }), /win-1: OVN's hybrid overlay is to be installed/);
  });

  describe("with Flannel", () => {
    const network = { backend: "vxlan", nodeCidr: "192.168.150.0/24" } as const;
    const setup = { ...defaultSetup, podNetwork: { kind: "flannel", ...network } };

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
        netConf("10.244.0.0/16", "vxlan"),
        windowsCniConf(
          { ...network, podCidr: "10.244.0.0/16", serviceCidr: "10.96.0.0/16" },
          "192.168.150.77",
        ),
      ]);
      assert.match(node.create("node-test-windowshost") ?? "", / -PodNetwork flannel$/);
      assert.match(
        node.create("node-add-externalnetwork") ?? "",
        / -Address 192\.168\.150\.77 -DelaySeconds 15 -Network flannel\.4096$/,
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
      / -RegistryMirrors "docker\.io=https:\/\/a\.test,https:\/\/b\.test" -DefenderExclusions 0 -CrictlPath "" -CrictlSha256 "" /,
    );
    assert.deepEqual(additional(node), []);
  });
});

describe("a Windows node in a lab with a registry", () => {
  it("finds it by containerd's mirrors, besides those of the settings", async () => {
    const registryMirrors = { "docker.io": ["https://a.test"] };
    const node = await makeNode({
      setup: { ...defaultSetup, registryMirrors, proxy: undefined },
      registry: pulumi.output("192.0.2.254:5000"),
    });
    assert.match(
      node.create("node-install-containerd") ?? "",
      / -RegistryMirrors "docker\.io=https:\/\/a\.test;localhost:5001=http:\/\/192\.0\.2\.254:5000" /,
    );
  });
});

describe("a Windows node whose image carries no programs", () => {
  const fetched = import.meta.dirname;

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
    it(`${name} brings it among the media after the reboot, before the step that uses it`, async () => {
      assert.deepEqual(node.needs(name), [node.get("node-confirm-reboot").resource]);
      node.assertChain(name, user);
      const { inputs, opts } = node.get(name);
      assert.equal(inputs["remotePath"], "C:/kindows/media");
      // Again on a new machine, or for another content.
      const pushed = { machine: "machine-1", step: "push", sha256: digit.repeat(64) };
      assert.deepEqual(stepTriggerOf(inputs), pushed);
      assert.equal(await (inputs["source"] as pulumi.asset.FileArchive).path, fetched);
      assert.deepEqual(opts.ignoreChanges, []);
      assert.equal(opts.deletedWith, node.machine.resource);
      assert.match(opts.customTimeouts?.create ?? "", /^\d+s$/);
    });
  }

  const unfetched = {
    "was never fetched": undefined,
    "is gone from the cache": "/no/such/folder",
  };
  for (const [what, folder] of Object.entries<string | undefined>(unfetched)) {
    it(`is not made when a program ${what}, but shown by a preview`, async () => {
      const without = { software: { ...pushed, kubelet: fromHost("kubelet", folder) } };
      await assert.rejects(
        makeNode(without),
        /win-1: https:\/\/example\.com\/kubelet\.exe is not in this host's cache: run `\.\/kindows fetch --stack <name>`/,
      );
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
      / -CrictlPath C:\\kindows\\media\\6{64}\\crictl\.tar\.gz -CrictlSha256 6{64} /,
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

describe("an update of a step", () => {
  const containerd = {
    Version: "2.4.2",
    ArchiveSha256: "1a",
    RegistryMirrors: "",
    CrictlSha256: "",
  };
  const kubernetes = {
    ...{ Version: "1.36.4", KubeletSha256: "2a", KubeadmSha256: "3a", KubeLogRunnerSha256: "4a" },
  };
  const installed = {
    containerd: { version: "2.4.2", archiveSha256: "1a", archiveFrom: "media" },
    kubernetes: { version: "1.36.4", kubeletSha256: "2a", kubeLogRunnerSha256: "4a" },
  };
  const cases: Readonly<
    Record<
      string,
      readonly ["containerd" | "kubernetes", Readonly<Record<string, string>>, boolean]
    >
  > = {
    "another containerd": ["containerd", { Version: "2.3.4" }, true],
    "another build of it": ["containerd", { ArchiveSha256: "1b" }, true],
    "another Kubernetes": ["kubernetes", { Version: "1.37.0" }, true],
    "another build of kubelet": ["kubernetes", { KubeletSha256: "2b" }, true],
    "another kube-log-runner": ["kubernetes", { KubeLogRunnerSha256: "4b" }, true],
    "another kubeadm": ["kubernetes", { KubeadmSha256: "3b" }, false],
    "an edited script": ["kubernetes", {}, false],
    "other mirrors": ["containerd", { RegistryMirrors: "docker.io=https://m" }, false],
    "a crictl": ["containerd", { CrictlSha256: "5b" }, false],
  };
  eachCase("decides by what the step installed: %s", cases, ([program, change, drains]) => {
    const [step, values] =
      program === "containerd" ? [installContainerd, containerd] : [installKubernetes, kubernetes];
    const now = { ...values, ...change };
    assert.equal(replacesPrograms(installed[program], now, step.drains ?? []), drains);
  });

  it("drains where no result says what was installed", () =>
    assert.equal(
      replacesPrograms(stepFacts("killed"), containerd, installContainerd.drains ?? []),
      true,
    ));
});

const sources = [stepsSource, homeSource];

interface Inputs {
  readonly type: string;
  readonly values: PropertyMap;
}

/** What the plugin makes of other inputs than before. */
function planned(
  before: ReadonlyMap<string, Inputs>,
  now: ReadonlyMap<string, Inputs>,
): Readonly<Record<"updates" | "replaces", readonly string[]>> {
  assert.deepEqual([...now.keys()], [...before.keys()]);
  const plan = { updates: [] as string[], replaces: [] as string[] };
  for (const [id, { type, values: news }] of now) {
    const { values: olds } = before.get(id) ?? assert.fail();
    const request = { id, oldInputs: olds, olds, news };
    const provider = type.startsWith("kindows:") ? kindowsProvider : commandProvider;
    const { changes } = provider.resourceType(type).diff(request);
    if (changes.length === 0) continue;
    plan[changes.some(({ replaces }) => replaces) ? "replaces" : "updates"].push(id);
  }
  return { updates: plan.updates.sort(), replaces: plan.replaces.sort() };
}

/** Which resources a change is about: by their inputs alone, as the command plugin compares them. */
describe("what a change plans on a Windows node that is up", () => {
  /** Changes besides those of docs/preview.md. */
  const furtherChanges: readonly (ChangeAfterUp & { readonly args: Partial<WindowsNodeArgs> })[] = [
    { name: "a taint", args: { taints: [] }, updates: ["win-1-join-node", "win-1-registration"] },
    { name: "an argument of the kubelet", args: { kubeletArgs: {} }, updates: ["win-1-join-node"] },
    {
      name: "another Kubernetes",
      args: {
        software: { ...software, versions: { ...software.versions, kubernetes: "1.35.1" } },
      },
      updates: ["win-1-install-kubernetes", "win-1-registration"],
    },
  ];

  /** The inputs of all resources that are no components, as the engine compares them, by the resource's name. */
  async function inputsOf(
    { labels = { zone: "a" }, instance = "one", domain = "one", tokenMinutes = 60 }: Variation = {},
    args: Partial<WindowsNodeArgs> = {},
  ): Promise<ReadonlyMap<string, Inputs>> {
    // What it stands on is as test/engine/windows/nodes-lab.ts has it.
    const { resources } = await record(printed, (opts) => {
      const usual = usualArgs();
      const { controlPlane } = usual;
      const instanceId = pulumi.output(instance);
      new local.Command("identity", { triggers: [instance] }, opts);
      const resource = new local.Command("machine", { triggers: [instanceId, domain] }, opts);
      const machine = { ...usual.machine, instanceId, resource };
      const minting = { controlPlane, machine, ttlMinutes: tokenMinutes };
      const { token } = new BootstrapToken("token", minting);
      new WindowsNode("win-1", { ...usual, machine, token, labels, ...args }, opts);
    });
    const found = new Map<string, Inputs>();
    for (const [key, { inputs, opts }] of resources) {
      const [type = "", name = ""] = key.split("/");
      if (!/^(command|kindows:host):/.test(type)) continue;
      const values: Record<string, unknown> = {};
      for (const [input, value] of Object.entries(inputs)) {
        if (opts.ignoreChanges?.includes(input) === true) continue;
        // By its hash for the engine; it is at another path when it is another.
        values[input] = value instanceof pulumi.asset.FileArchive ? await value.path : value;
      }
      found.set(name, { type, values: values as PropertyMap });
    }
    return found;
  }

  const repository = process.cwd();
  let project: string;
  let asItIs: ReadonlyMap<string, Inputs>;

  before(async () => (asItIs = await inputsOf()));
  beforeEach(async () => {
    project = newFolder();
    await Promise.all(
      sources.map((source) => cp(source, path.join(project, source), { recursive: true })),
    );
    process.chdir(project);
  });
  afterEach(() => process.chdir(repository));

  const changes = [...changesAfterUp.map((each) => ({ ...each, args: {} })), ...furtherChanges];
  for (const { name, to, args, edited, updates = [], replaces = [] } of changes) {
    it(`${name}: ${updates.length} updated, ${replaces.length} replaced`, async () => {
      if (edited !== undefined) await appendFile(path.join(stepsSource, edited), " ");
      assert.deepEqual(planned(asItIs, await inputsOf(to, args)), {
        updates: [...updates].sort(),
        replaces: [...replaces].sort(),
      });
    });
  }
});
