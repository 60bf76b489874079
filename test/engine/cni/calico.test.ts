import assert from "node:assert/strict";
import { execa } from "execa";
import { installation } from "../../../components/cni/calico/installation.ts";
import { calicoRelease } from "../../../components/cni/calico/release.ts";
import { ApiServer } from "../plugins/support/api-server.ts";
import { type EngineProject, type EngineRun, succeeded } from "../plugins/support/engine.ts";
import { calicoProgram, calicoProject, type Variation } from "./calico-project.ts";
import { publishAddress, StandInOperator } from "./stand-in-operator.ts";

const release = calicoRelease("3.32.1");
/** What a next version would look like; nothing of it is there but its numbers. */
const next = { ...release, calico: "3.32.2", operator: "1.42.9" };

const installations = "/apis/operator.tigera.io/v1/installations";
const calicoApi = "/apis/projectcalico.org/v3";

/** What is created, in the order of its names. */
const all = [
  ...["calico", "calico-apiserver", "calico-configuration"],
  ...["calico-definitions", "calico-endpoint", "calico-linux"],
  ...["calico-windows", "tigera-operator", "tigera-operator-endpoint"],
];

/** The real engine, plugins, API server and definitions; the operator is stood in for. */
describe("Calico in the engine", () => {
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
    await up({ felix: { logSeverityScreen: "Debug" } });
  });

  after(async () => {
    await operator.stop();
    await project.dispose();
    await server.stop();
  });

  const up = async (variation: Partial<Variation>, ...flags: string[]): Promise<EngineRun> => {
    await project.program(calicoProgram({ release, ...variation }));
    return succeeded(await project.up(...flags));
  };
  const touched = (run: EngineRun, operation: string): string[] =>
    Object.entries(run.steps)
      .filter(([name, operations]) => all.includes(name) && operations.includes(operation))
      .map(([name]) => name)
      .sort();
  const spec = async (path: string): Promise<Record<string, unknown>> =>
    (await server.get<{ spec: Record<string, unknown> }>(path))?.spec ?? {};

  it("has all its definitions there", async () => {
    const { items } = (await server.get<{ items: object[] }>(
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    )) ?? { items: [] };
    assert.equal(items.length, 32 + 2);
  });

  it("sets strict affinity in Calico's own API, and Felix's fields", async () => {
    assert.equal((await spec(`${calicoApi}/ipamconfigurations/default`))["strictAffinity"], true);
    const felix = await spec(`${calicoApi}/felixconfigurations/default`);
    assert.equal(felix["logSeverityScreen"], "Debug");
  });

  it("refuses a field that Felix has not, by its name", async () => {
    const program = ["--import", "tsx", "components/cni/actions/configure-calico.ts"];
    const CALICO = JSON.stringify({ felix: { bpfLogLevle: "Info" }, timeoutSeconds: 2 });
    const env = { KUBECONFIG_CONTENT: server.kubeconfig, CALICO };
    const { exitCode, stderr } = await execa(process.execPath, program, { env, reject: false });
    assert.equal(exitCode, 1);
    assert.match(stderr, /unknown field .*spec\.bpfLogLevle/);
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

    it("may be installed as we do it", () =>
      server.request(
        ...(["PATCH", `${installations}/default?${query}&fieldManager=test&force=true`] as const),
        ...([usual, "application/apply-patch+yaml"] as const),
      ));

    const refused: Readonly<Record<string, readonly [object, RegExp]>> = {
      "a field that there is not": [
        differing({ vxlan: true }),
        /unknown field .*spec\.calicoNetwork\.vxlan/,
      ],
      "another name": [{ ...usual, metadata: { name: "mine" } }, /resource name must be 'default'/],
    };
    for (const [name, [body, why]] of Object.entries(refused)) {
      it(`may not be installed with ${name}`, () =>
        assert.rejects(server.request("POST", `${installations}?${query}`, body), why));
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

    it("goes from one version to the next in place, with a readable report; the operator's defaults are no drift", async () => {
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
      succeeded(await project.destroy());
      assert.deepEqual(await project.state(), []);
    });
  });
});
