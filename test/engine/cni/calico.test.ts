import assert from "node:assert/strict";
import { execa } from "execa";
import { installation } from "../../../components/cni/calico/installation.ts";
import { calicoRelease } from "../../../components/cni/calico/release.ts";
import { ApiServer } from "../plugins/support/api-server.ts";
import type { EngineProject, EngineRun } from "../plugins/support/engine.ts";
import { eventually } from "../plugins/support/eventually.ts";
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
describe("Calico in the engine", () => {
  let server: ApiServer;
  let project: EngineProject;
  let operator: StandInOperator;
  let made: EngineRun;

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
    made = await up({ felix: { logSeverityScreen: "Debug" } });
  });

  after(async () => {
    await operator.stop();
    await project.dispose();
    await server.stop();
  });

  const up = async (variation: Partial<Variation>, ...flags: string[]): Promise<EngineRun> => {
    await project.program(calicoProgram({ release, ...variation }));
    const run = await project.up(...flags);
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
  /** What an action says that fails, run as the engine runs it. */
  const failure = async (action: string, request: object): Promise<string> => {
    const { exitCode, stderr } = await execa(
      process.execPath,
      ["--import", "tsx", `components/cni/actions/${action}.ts`],
      {
        env: { KUBECONFIG_CONTENT: server.kubeconfig, CALICO: JSON.stringify(request) },
        reject: false,
      },
    );
    assert.equal(exitCode, 1, stderr);
    return stderr;
  };

  it("is all there, with as few resources as it takes", async () => {
    const names = (await project.state()).map(({ urn }) => urn.slice(urn.lastIndexOf("::") + 2));
    assert.deepEqual([...new Set(names)].filter((name) => all.includes(name)).sort(), all);
    const { items } = (await server.get<{ items: object[] }>(
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    )) ?? { items: [] };
    assert.equal(items.length, 32 + 2);
  });

  it("gives the operator the API server's address before it is told what to install", async () => {
    const map = await server.get<{ data: Record<string, string> }>(
      "/api/v1/namespaces/tigera-operator/configmaps/kubernetes-services-endpoint",
    );
    assert.equal(map?.data["KUBERNETES_SERVICE_HOST"], publishedAddress);
    const order = [
      ...["calico-endpoint", "tigera-operator-endpoint", "calico-apiserver"],
      ...["calico-linux", "calico-configuration", "calico-windows"],
    ];
    assert.deepEqual(
      Object.keys(made.steps).filter((name) => order.includes(name)),
      order,
    );
  });

  it("sets strict affinity in Calico's own API, and Felix's fields", async () => {
    assert.equal((await spec(`${calicoApi}/ipamconfigurations/default`))["strictAffinity"], true);
    const felix = await spec(`${calicoApi}/felixconfigurations/default`);
    assert.equal(felix["logSeverityScreen"], "Debug");
  });

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
    const image = "quay.io/calico/node:v3.32.1";
    await server.request("POST", pods, {
      metadata: { name: "calico-node-a" },
      spec: { nodeName: "worker-1", containers: [{ name: "calico-node", image }] },
    });
    const waiting = { reason: "ImagePullBackOff", message: "Back-off pulling image" };
    const container = { name: "calico-node", image, imageID: "", ready: false, restartCount: 0 };
    await server.patch(`${pods}/calico-node-a/status`, {
      status: { phase: "Pending", containerStatuses: [{ ...container, state: { waiting } }] },
    });
    await eventually("the operator reports what is wrong last", async () => {
      const status = await server.get("/apis/operator.tigera.io/v1/tigerastatuses/apiserver");
      return JSON.stringify(status).includes("ImagePullFailure") ? true : undefined;
    });
    const said = await failure("await-calico", {
      version: release.calico,
      components: { ippools: "installations", calico: "installations", apiserver: "apiservers" },
      ...{ linuxNodes: true, timeoutSeconds: 3 },
    });
    operator.reports = {};
    for (const expected of [
      "waited 3 s for Calico 3.32.1 (ippools, calico, apiserver) and Ready Linux nodes; last seen:",
      'calico: not there yet: ResourceNotReady: DaemonSet "calico-system/calico-node" is not available (awaiting 1 nodes)',
      "apiserver: degraded: ImagePullFailure: can't pull quay.io/x",
      "pod calico-node-a on worker-1: calico-node waits: ImagePullBackOff (Back-off pulling image)",
    ]) {
      assert.ok(said.includes(expected), `${expected}\n\n${said}`);
    }
  });

  it("refuses a field that Felix has not, by its name", async () => {
    const felix = { bpfLogLevle: "Info" };
    const said = await failure("configure-calico", { felix, timeoutSeconds: 2 });
    assert.match(said, /unknown field .*spec\.bpfLogLevle/);
  });

  describe("by its real definitions", () => {
    const usual = installation({
      ...{ podCidr: "10.244.0.0/16", serviceCidr: "10.96.0.0/16", encapsulation: "VXLAN" },
      ...{ bgp: "Disabled", mtu: 1400, windows: true },
    });
    const network = usual.spec["calicoNetwork"] as object;
    const differing = (changes: object): object => ({
      ...usual,
      spec: { ...usual.spec, calicoNetwork: { ...network, ...changes } },
    });
    const query = "dryRun=All&fieldValidation=Strict";

    it("may be installed as we do it", async () => {
      await server.request(
        ...(["PATCH", `${installations}/default?${query}&fieldManager=test&force=true`] as const),
        ...([usual, "application/apply-patch+yaml"] as const),
      );
    });

    const refused: Readonly<Record<string, readonly [object, RegExp]>> = {
      "another dataplane": [differing({ windowsDataplane: "OVS" }), /windowsDataplane/],
      "a switch of its own kind": [differing({ bgp: "Off" }), /bgp/],
      "an encapsulation that there is not": [
        differing({ ipPools: [{ cidr: "10.244.0.0/16", encapsulation: "Geneve" }] }),
        /encapsulation/,
      ],
      "a pool without a range": [differing({ ipPools: [{ name: "a" }] }), /cidr/],
      "a field that there is not": [
        differing({ vxlan: true }),
        /unknown field .*spec\.calicoNetwork\.vxlan/,
      ],
      "another name": [{ ...usual, metadata: { name: "mine" } }, /resource name must be 'default'/],
    };
    for (const [name, [body, why]] of Object.entries(refused)) {
      it(`may not be installed with ${name}`, async () => {
        await assert.rejects(server.request("POST", `${installations}?${query}`, body), why);
      });
    }
  });

  describe("that is there", () => {
    it("changes in place, over what the operator has written: largest packet, Felix's fields", async () => {
      const pools = [{ name: "default-ipv4-ippool", cidr: "10.244.0.0/16", blockSize: 26 }];
      await server.patch(`${installations}/default`, {
        spec: { calicoNetwork: { ipPools: pools } },
      });
      await server.patch(`${calicoApi}/felixconfigurations/default`, { spec: { vxlanVNI: 4096 } });
      const run = await up({ mtu: 1400, felix: { bpfLogLevel: "Info" } });
      assert.deepEqual(touched(run, "update"), [
        ...["calico", "calico-configuration", "calico-linux", "calico-windows"],
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

    it("goes from one version to the next in place, told as one can read it; the operator's defaults are no drift", async () => {
      const { calicoNetwork } = (await spec(`${installations}/default`)) as {
        calicoNetwork: object;
      };
      await server.patch(`${installations}/default`, {
        spec: { flexVolumePath: "None", calicoNetwork: { ...calicoNetwork, hostPorts: "Enabled" } },
      });
      const variation = { release: next, mtu: 1400, felix: { bpfLogLevel: "Info" } };
      const run = await up(variation, "--refresh", "--diff");
      for (const expected of [
        /image *: "quay\.io\/tigera\/operator:v1\.42\.3" => "quay\.io\/tigera\/operator:v1\.42\.9"/,
        /calico *: "3\.32\.1" => "3\.32\.2"/,
        /version *: "3\.32\.1" => "3\.32\.2"/,
      ]) {
        assert.match(run.text, expected);
      }
      // Not the definitions themselves.
      assert.ok(run.text.split("\n").length < 400, run.text);
      assert.deepEqual(touched(run, "update"), [
        ...["calico", "calico-definitions", "calico-linux", "calico-windows", "tigera-operator"],
      ]);
      // The component, which says its version, and its Installation.
      const calico = run.steps["calico"]?.filter((operation) => operation !== "refresh");
      assert.deepEqual(calico, ["update", "same"]);
      assert.deepEqual([...touched(run, "replace"), ...touched(run, "create")], []);
    });

    it("leaves nothing of itself in the state", async () => {
      const run = await project.destroy();
      assert.equal(run.exitCode, 0, run.text);
      assert.deepEqual(await project.state(), []);
    });
  });
});
