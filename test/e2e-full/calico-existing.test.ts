import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { stringify } from "yaml";
import { downloadArtifact } from "../../components/windows/download-artifact.ts";
import { fileNameOf } from "../../components/windows/media-folder.ts";
import {
  knownPrograms,
  officialSoftware,
  programArtifacts,
} from "../../components/windows/software.ts";
import { rehearsalVersions } from "../../config/supported.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { generateEd25519 } from "../../host/ssh/generate-ed25519.ts";
import { ensureArtifacts } from "../../toolchain/ensure.ts";
import { calicoCluster } from "../e2e/calico-cluster.ts";
import { type Finished, succeeded, tail, TestLab } from "../e2e/lab.ts";

const content = "stands in for a program of a Windows node, and nobody runs it\n";

const sha256 = createHash("sha256").update(content).digest("hex");

const programs = ["containerd", "kubelet", "kubeadm", "kubeLogRunner", "crictl"];

/** Settings by which a machine would get this file as each of its programs. */
const standIns = {
  containerdVersion: rehearsalVersions.containerd,
  checksums: Object.fromEntries(programs.map((name) => [name, sha256])),
};

/** Puts the programs into the cache for `kindows fetch`, because outside previews the stack asks for them. */
async function cacheStandIns(): Promise<void> {
  const versions = { kubernetes: "1.36.4", containerd: rehearsalVersions.containerd };
  const software = officialSoftware(versions, knownPrograms(standIns.checksums));
  await ensureArtifacts(
    programArtifacts(software).map(([, { uri }]) => ({
      ...downloadArtifact({ uri, sha256 }),
      hostPackages: [],
      build: async (into) => {
        await mkdir(path.join(into, sha256));
        await writeFile(path.join(into, sha256, fileNameOf({ uri })), content);
      },
    })),
  );
}

/** A cluster with the real Calico, as the stack `existing` finds it: prepared for no Windows node. */
describe("the stack existing, on a cluster with Calico", function () {
  this.bail(true);

  const lab = new TestLab("e2ecalexist");
  const joining = new TestLab("e2ecaljoin");
  let folder = "";

  /** Settings with a machine that nobody contacts, because nothing of it is asked for. */
  async function configure(mayChange: boolean): Promise<void> {
    const login = path.join(folder, "login");
    const config = {
      "kindows:stack": "existing",
      "kindows:cluster": { kubeconfig: { file: lab.kubeconfig }, kubernetesVersion: "1.36.4" },
      "kindows:cni": { kind: "calico", mayChange },
      "kindows:windows": standIns,
      "kindows:login": { user: "Administrator", privateKeyFile: login },
      "kindows:nodes": [
        { name: "win-9", address: "192.168.165.90", hostKey: generateEd25519().public.trim() },
      ],
    };
    await joining.configure({});
    await writeFile(joining.stackFile, stringify({ config }));
  }

  const pulumi = (command: string): Promise<Finished> =>
    joining.withEnvironment(`pulumi ${command} --non-interactive`);

  async function refused(...reasons: readonly RegExp[]): Promise<void> {
    const { exitCode, output } = await pulumi("preview");
    assert.notEqual(exitCode, 0, tail(output));
    for (const reason of reasons) assert.match(output, reason);
  }

  const patch = (object: string, spec: object): Promise<string> =>
    lab.kubectl("patch", object, "default", "--type", "merge", "-p", JSON.stringify({ spec }));

  async function spec(object: string): Promise<Record<string, unknown>> {
    const { spec } = (await lab.kubectlJson("get", object, "default")) as {
      spec: Record<string, unknown>;
    };
    return spec;
  }

  const dataplane = async (): Promise<unknown> =>
    ((await spec("installation")) as { calicoNetwork?: { windowsDataplane?: string } })
      .calicoNetwork?.windowsDataplane;

  before(async function () {
    const cluster = await calicoCluster(this, []);
    const network = { cidr: "192.168.165.0/24" };
    await lab.configure({ ...cluster, network, cni: { kind: "calico" }, nodes: [] });
    await lab.kindows("down");
    await succeeded(lab.kindows("up"), "up");
    folder = await mkdtemp(path.join(os.tmpdir(), "kindows-e2e-calico-"));
    await writeFile(path.join(folder, "login"), generateEd25519().private, { mode: 0o600 });
    await cacheStandIns();
    await configure(false);
    await succeeded(joining.kindows("fetch"));
    await pulumi(`stack init ${joining.stack}`);
    await patch("ipamconfigurations", { strictAffinity: false });
  });
  after(async () => {
    if (folder !== "") {
      await pulumi("destroy --yes --skip-preview");
      await pulumi("stack rm --yes --force");
      await joining.removeSettings();
      await rm(folder, { recursive: true });
    }
    await lab.remove();
  });

  const unprepared = [
    /Installation default has spec\.calicoNetwork\.windowsDataplane Disabled/,
    /IPAMConfiguration default does not set spec\.strictAffinity to true/,
  ];

  it("names what Windows nodes need and the cluster lacks", () => refused(...unprepared));

  it("refuses a VNI that Windows does not support", async () => {
    await patch("felixconfigurations", { vxlanVNI: 4095 });
    await refused(/FelixConfiguration default has spec\.vxlanVNI 4095/);
    await patch("felixconfigurations", { vxlanVNI: null });
  });

  it("refuses a second pool with IPIP", async () => {
    await lab.kubectlApply(`
apiVersion: projectcalico.org/v3
kind: IPPool
metadata: { name: second }
spec: { cidr: 10.99.0.0/24, ipipMode: Always, vxlanMode: Never, natOutgoing: true }
`);
    await refused(/IPPool second /);
    await lab.kubectl("delete", "ippool", "second");
  });

  it("shows what it would set, also while Calico's API is away", async () => {
    await configure(true);
    const planned = async (): Promise<readonly string[]> => {
      const { output } = await succeeded(pulumi("preview"));
      return output.split("\n").filter((line) => /pod-network-/.test(line));
    };
    const before = await planned();
    assert.ok(before.length >= 2, before.join("\n"));
    const scale = async (namespace: string, name: string, replicas: number): Promise<string> =>
      lab.kubectl("-n", namespace, "scale", "deployment", name, `--replicas=${replicas}`);
    // The operator would scale it again.
    await scale("tigera-operator", "tigera-operator", 0);
    await scale("calico-system", "calico-apiserver", 0);
    const api = "/apis/projectcalico.org/v3/ippools";
    const wait = { timeoutSeconds: 100, pollMilliseconds: 1000 };
    const answers = (): Promise<string | undefined> =>
      lab.kubectl("get", "--raw", api).then(
        () => undefined,
        (error: unknown) => String(error),
      );
    await waitUntil({ what: "Calico's API to be away", ...wait }, async () =>
      /ServiceUnavailable|unable to handle/.test((await answers()) ?? "")
        ? undefined
        : "it answers",
    );
    assert.deepEqual(await planned(), before);
    await configure(false);
    await refused(...unprepared);
    await scale("tigera-operator", "tigera-operator", 1);
    await waitUntil({ what: "Calico's API to be back", ...wait }, answers);
  });

  it("sets it, and leaves it when it goes", async () => {
    await configure(true);
    const changed = ["configmap-*", "installation-*", "ipamconfiguration-*"];
    const names = ["control-plane", "pod-network", ...changed.map((each) => `pod-network-${each}`)];
    const targets = names.map((name) => `--target '**::${name}'`);
    await succeeded(pulumi(`up --yes --skip-preview ${targets.join(" ")}`), "up");
    const prepared = async (): Promise<unknown> => [
      await dataplane(),
      (await spec("ipamconfigurations"))["strictAffinity"],
    ];
    assert.deepEqual(await prepared(), ["HNS", true]);
    await configure(false);
    await succeeded(pulumi("preview"));
    await configure(true);
    await succeeded(pulumi("destroy --yes --skip-preview"), "destroy");
    assert.deepEqual(await prepared(), ["HNS", true]);
  });
});
