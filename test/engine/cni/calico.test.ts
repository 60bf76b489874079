import assert from "node:assert/strict";
import { installation } from "../../../components/cni/calico/installation.ts";
import { calicoRelease } from "../../../components/cni/calico/release.ts";
import { ApiServer } from "../plugins/support/api-server.ts";
import type { EngineProject, EngineRun } from "../plugins/support/engine.ts";
import { calicoProgram, calicoProject, type Variation } from "./calico-project.ts";
import { publishAddress, publishedAddress, StandInOperator } from "./stand-in-operator.ts";

const release = calicoRelease("3.32.1");
/** What a next version would look like; nothing of it is there but its numbers. */
const next = { ...release, calico: "3.32.2", operator: "1.42.9" };

const installations = "/apis/operator.tigera.io/v1/installations";
const calicoApi = "/apis/projectcalico.org/v3";

/** What is created, in the order of its names. */
const all = [
  "calico",
  "calico-apiserver",
  "calico-configuration",
  "calico-definitions",
  "calico-endpoint",
  "calico-linux",
  "calico-windows",
  "tigera-operator",
  "tigera-operator-endpoint",
];

/** The real engine, plugins, API server and definitions; the operator is stood in for. */
describe("Calico in the engine", function () {
  this.timeout(180_000);
  let server: ApiServer;
  let project: EngineProject;
  let operator: StandInOperator;

  before(async () => {
    server = await ApiServer.start();
    await publishAddress(server);
    project = await calicoProject([release]);
    await project.write("kubeconfig", server.kubeconfig);
    operator = new StandInOperator(server, {
      [release.operator]: release.calico,
      [next.operator]: next.calico,
    });
    operator.start();
  });

  after(async () => {
    await operator.stop();
    await project.dispose();
    await server.stop();
  });

  const up = async (variation: Partial<Variation> = {}): Promise<EngineRun> => {
    await project.program(calicoProgram({ release, ...variation }));
    return project.up();
  };

  const done = async (variation: Partial<Variation> = {}): Promise<EngineRun> => {
    const run = await up(variation);
    assert.equal(run.exitCode, 0, run.text);
    return run;
  };

  const touched = (run: EngineRun, operation: string): string[] =>
    Object.entries(run.steps)
      .filter(([name, operations]) => all.includes(name) && operations.includes(operation))
      .map(([name]) => name)
      .sort();

  const spec = async (path: string): Promise<Record<string, unknown>> =>
    (await server.get<{ spec: Record<string, unknown> }>(path))?.spec ?? {};

  it("ends a wait with the operator's own words, and with the pods that hold it up", async () => {
    operator.reports = {
      calico: {
        type: "Progressing",
        reason: "ResourceNotReady",
        message: 'DaemonSet "calico-system/calico-node" is not available (awaiting 1 nodes)',
      },
      apiserver: { type: "Degraded", reason: "ImagePullFailure", message: "can't pull quay.io/x" },
    };
    await server.request("POST", "/api/v1/namespaces", { metadata: { name: "calico-system" } });
    const pods = "/api/v1/namespaces/calico-system/pods";
    const containers = [{ name: "calico-node", image: "quay.io/calico/node:v3.32.1" }];
    await server.request("POST", pods, {
      metadata: { name: "calico-node-a" },
      spec: { nodeName: "worker-1", containers },
    });
    const waiting = { reason: "ImagePullBackOff", message: "Back-off pulling image" };
    await server.patch(`${pods}/calico-node-a/status`, {
      status: {
        phase: "Pending",
        containerStatuses: [
          {
            name: "calico-node",
            image: "quay.io/calico/node:v3.32.1",
            imageID: "",
            ready: false,
            restartCount: 0,
            state: { waiting },
          },
        ],
      },
    });
    const run = await up({ rolloutSeconds: 6 });
    assert.notEqual(run.exitCode, 0);
    for (const expected of [
      "waited 6 s for Calico 3.32.1 (ippools, calico, apiserver) and Ready Linux nodes; last seen:",
      'calico: not there yet: ResourceNotReady: DaemonSet "calico-system/calico-node" is not available (awaiting 1 nodes)',
      "apiserver: degraded: ImagePullFailure: can't pull quay.io/x",
      "pod calico-node-a on worker-1: calico-node waits: ImagePullBackOff (Back-off pulling image)",
    ]) {
      assert.ok(run.text.includes(expected), `${expected}\n\n${run.text}`);
    }
  });

  it("gives the operator the API server's address before it is told what to install", async () => {
    const map = await server.get<{ data: Record<string, string> }>(
      "/api/v1/namespaces/tigera-operator/configmaps/kubernetes-services-endpoint",
    );
    assert.equal(map?.data["KUBERNETES_SERVICE_HOST"], publishedAddress);
  });

  it("waits until Calico's own API is there, and sets strict affinity in it", async () => {
    operator.reports = {};
    const served = new Promise<void>((resolve, reject) => {
      setTimeout(() => {
        operator.serveCalicoApi(release.operator).then(resolve, reject);
      }, 8000);
    });
    const run = await done({ felix: { logSeverityScreen: "Debug" } });
    await served;
    assert.ok(touched(run, "create").includes("calico-configuration"), run.text);
    assert.equal((await spec(`${calicoApi}/ipamconfigurations/default`))["strictAffinity"], true);
    assert.equal(
      (await spec(`${calicoApi}/felixconfigurations/default`))["logSeverityScreen"],
      "Debug",
    );
  });

  it("is all there, with as few resources as it takes", async () => {
    const names = (await project.state()).map(({ urn }) => urn.slice(urn.lastIndexOf("::") + 2));
    assert.deepEqual([...new Set(names)].filter((name) => all.includes(name)).sort(), all);
    const { items } = (await server.get<{ items: object[] }>(
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    )) ?? { items: [] };
    assert.equal(items.length, 32 + 2);
  });

  it("shows no drift after the operator has filled in its defaults", async () => {
    const { calicoNetwork } = (await spec(`${installations}/default`)) as {
      calicoNetwork: { ipPools: object[] };
    };
    await server.patch(`${installations}/default`, {
      spec: { flexVolumePath: "None", calicoNetwork: { ...calicoNetwork, hostPorts: "Enabled" } },
    });
    const refreshed = await project.refresh();
    assert.equal(refreshed.exitCode, 0, refreshed.text);
    const preview = await project.preview("--expect-no-changes");
    assert.equal(preview.exitCode, 0, preview.text);
  });

  it("changes in place, over what the operator has written: largest packet, Felix's fields", async () => {
    const pools = [{ name: "default-ipv4-ippool", cidr: "10.244.0.0/16", blockSize: 26 }];
    await server.patch(`${installations}/default`, { spec: { calicoNetwork: { ipPools: pools } } });
    await server.patch(`${calicoApi}/felixconfigurations/default`, { spec: { vxlanVNI: 4096 } });
    const run = await done({ mtu: 1400, felix: { bpfLogLevel: "Info" } });
    assert.deepEqual(touched(run, "update"), [
      "calico",
      "calico-configuration",
      "calico-linux",
      "calico-windows",
    ]);
    const { calicoNetwork } = (await spec(`${installations}/default`)) as {
      calicoNetwork: { mtu: number; ipPools: Record<string, unknown>[] };
    };
    assert.equal(calicoNetwork.mtu, 1400);
    assert.equal(calicoNetwork.ipPools[0]?.["encapsulation"], "VXLAN");
    const felix = await spec(`${calicoApi}/felixconfigurations/default`);
    assert.deepEqual(
      [felix["logSeverityScreen"], felix["bpfLogLevel"], felix["vxlanVNI"]],
      [undefined, "Info", 4096],
    );
  });

  it("refuses a field that Felix has not, by its name", async () => {
    const run = await up({ mtu: 1400, felix: { bpfLogLevle: "Info" }, rolloutSeconds: 5 });
    assert.notEqual(run.exitCode, 0);
    assert.match(run.text, /unknown field .*spec\.bpfLogLevle/);
    await done({ mtu: 1400 });
  });

  it("goes from one version to the next in a preview one can read, and in place", async () => {
    await project.program(calicoProgram({ release: next, mtu: 1400 }));
    const preview = await project.preview("--diff");
    assert.equal(preview.exitCode, 0, preview.text);
    for (const expected of [
      /image *: "quay\.io\/tigera\/operator:v1\.42\.3" => "quay\.io\/tigera\/operator:v1\.42\.9"/,
      /calico *: "3\.32\.1" => "3\.32\.2"/,
      /version *: "3\.32\.1" => "3\.32\.2"/,
    ]) {
      assert.match(preview.text, expected);
    }
    assert.ok(preview.text.split("\n").length < 120, preview.text);
    const run = await done({ release: next, mtu: 1400 });
    const updated = touched(run, "update");
    for (const name of [
      "calico-definitions",
      "calico-linux",
      "calico-windows",
      "tigera-operator",
    ]) {
      assert.ok(updated.includes(name), `${name} is not among ${updated.join(", ")}`);
    }
    assert.deepEqual([...touched(run, "replace"), ...touched(run, "create")], []);
  });

  it("leaves nothing of itself in the state", async () => {
    const run = await project.destroy();
    assert.equal(run.exitCode, 0, run.text);
    assert.deepEqual(await project.state(), []);
  });
});

describe("Calico's real definitions", function () {
  this.timeout(120_000);
  let server: ApiServer;
  let project: EngineProject;

  before(async () => {
    server = await ApiServer.start();
    await publishAddress(server);
    project = await calicoProject([release]);
    await project.write("kubeconfig", server.kubeconfig);
    // Only as far as the definitions: nobody plays the operator here.
    await project.program(calicoProgram({ release, operatorSeconds: 1 }));
    await project.up();
  });

  after(async () => {
    await project.dispose();
    await server.stop();
  });

  const usual = installation({
    podCidr: "10.244.0.0/16",
    serviceCidr: "10.96.0.0/16",
    encapsulation: "VXLAN",
    bgp: "Disabled",
    mtu: 1400,
    windows: true,
  });
  const network = usual.spec["calicoNetwork"] as object;
  const without = (changes: object): object => ({
    ...usual,
    spec: { ...usual.spec, calicoNetwork: { ...network, ...changes } },
  });
  const tried = (body: object): Promise<unknown> =>
    server.request("POST", `${installations}?dryRun=All&fieldValidation=Strict`, body);

  it("take our Installation", async () => {
    await tried(usual);
  });

  const refused: Readonly<Record<string, readonly [object, RegExp]>> = {
    "another dataplane": [without({ windowsDataplane: "OVS" }), /windowsDataplane/],
    "a switch of its own kind": [without({ bgp: "Off" }), /bgp/],
    "an encapsulation that there is not": [
      without({ ipPools: [{ cidr: "10.244.0.0/16", encapsulation: "Geneve" }] }),
      /encapsulation/,
    ],
    "a pool without a range": [without({ ipPools: [{ name: "a" }] }), /cidr/],
    "a field that there is not": [
      without({ vxlan: true }),
      /unknown field .*spec\.calicoNetwork\.vxlan/,
    ],
    "another name": [{ ...usual, metadata: { name: "mine" } }, /resource name must be 'default'/],
  };
  for (const [name, [body, why]] of Object.entries(refused)) {
    it(`refuse ${name}`, async () => {
      await assert.rejects(tried(body), why);
    });
  }
});
