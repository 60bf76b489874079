import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { execa } from "execa";
import { parse } from "yaml";

import { operatorFolder } from "../../../components/cni/calico/definitions-artifact.ts";
import type { FelixField } from "../../../components/cni/calico/felix-fields.ts";
import { installationObjects } from "../../../components/cni/calico/installation.ts";
import { type CalicoRelease, calicoRelease } from "../../../components/cni/calico/release.ts";
import { builtArtifacts } from "../../../toolchain/built.ts";
import { goEnvironment } from "../../../toolchain/tools/go-build.ts";
import { ApiServer } from "../plugins/support/api-server.ts";
import { type EngineProject, type EngineRun, succeeded } from "../plugins/support/engine.ts";
import { sourcesProject } from "../plugins/support/sources.ts";

interface Variation {
  readonly release: CalicoRelease;
  readonly mtu?: number;
  readonly felix?: Readonly<Record<string, string | number | boolean>>;
}

/** A project with this project's sources, for programs with Calico in them; the cluster is the file `kubeconfig`. */
async function calicoProject({ definitionsSha256 }: CalicoRelease): Promise<EngineProject> {
  const project = await sourcesProject();
  await mkdir(path.join(project.folder, ".kindows"), { recursive: true });
  const prepared = Object.values(builtArtifacts().calicoDefinitions ?? {})[0];
  if (prepared === undefined) throw new Error("Calico's definitions are not prepared");
  const calicoDefinitions = { [definitionsSha256]: prepared };
  await project.write(".kindows/artifacts.json", JSON.stringify({ tools: {}, calicoDefinitions }));
  return project;
}

const calicoProgram = `
  import { readFileSync } from "node:fs";
  import * as pulumi from "@pulumi/pulumi";
  import { local } from "@pulumi/command";
  import { Provider } from "@pulumi/kubernetes/provider.js";
  import { Calico } from "./components/cni/calico/calico.ts";

  const { release, mtu, felix = {} } = JSON.parse(readFileSync("given.json", "utf8"));
  const kubeconfig = pulumi.secret(readFileSync("kubeconfig", "utf8"));
  const controlPlane = {
    kubeconfig,
    provider: new Provider("cluster", {
      kubeconfig, clusterIdentifier: "test", upsertExistingObjects: true,
    }),
    resource: new local.Command("control-plane", { create: "true" }),
    podCidr: "10.244.0.0/16",
    serviceCidr: "10.96.0.0/16",
  };
  new Calico("calico", {
    controlPlane,
    release,
    network: { encapsulation: "VXLAN", bgp: "Disabled", windows: true, mtu },
    configuration: { felix },
  });
`;

const deployment = "/apis/apps/v1/namespaces/tigera-operator/deployments/tigera-operator";
const installationPath = "/apis/operator.tigera.io/v1/installations/default";
const statuses = "/apis/operator.tigera.io/v1/tigerastatuses";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

interface LiveObject {
  readonly metadata: { readonly generation: number };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Gives it the address that it would publish of itself: one that listens on a loopback address publishes none. */
async function publishAddress(server: ApiServer): Promise<void> {
  await server.request("POST", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
    metadata: {
      name: "kubernetes-test",
      labels: { "kubernetes.io/service-name": "kubernetes" },
    },
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.128"] }],
    ports: [{ name: "https", port: 6443, protocol: "TCP" }],
  });
}

/**
 * Stands in for Tigera's operator, whose image can't be had here, and for the controllers that a lone API server lacks:
 * says of the Deployment that it runs, serves Calico's own API, and says of Calico's parts that they are there.
 * Everything it writes goes through the API server, and so through Calico's real definitions.
 *
 * @param calico Calico's version by the operator's
 * @returns what ends it, and throws what went wrong, unless that was only that a definition was not there yet.
 */
function startOperator(
  server: ApiServer,
  calico: Readonly<Record<string, string>>,
): () => Promise<void> {
  let running = true;
  let serves = false;
  let failure: Error | undefined;

  /** Serves Calico's own API, as its API server would: from the definitions that the operator brings for it. */
  async function serveCalicoApi(operator: string): Promise<void> {
    const folder = path.join(
      await operatorFolder(operator, () => undefined, goEnvironment("go-tests")),
      "pkg/imports/crds/calico/v3.projectcalico.org",
    );
    for (const name of await readdir(folder)) {
      if (!/_(ipam|felix)configurations\.yaml$/.test(name)) continue;
      const definition: unknown = parse(await readFile(path.join(folder, name), "utf8"));
      await server.request("POST", definitions, definition);
    }
  }

  async function report(name: string, generation: number): Promise<void> {
    const reported = {
      reason: "AllObjectsAvailable",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
      observedGeneration: generation,
    };
    const conditions = ["Available", "Progressing", "Degraded"].map((type) => {
      return { type, status: type === "Available" ? "True" : "False", ...reported };
    });
    if ((await server.get(`${statuses}/${name}`)) === undefined) {
      const kind = { apiVersion: "operator.tigera.io/v1", kind: "TigeraStatus" };
      await server.request("POST", statuses, { ...kind, metadata: { name } });
    }
    await server.patch(`${statuses}/${name}/status`, { status: { conditions } });
  }

  async function reconcile(): Promise<void> {
    const operator = await server.get<LiveObject>(deployment);
    if (operator === undefined) return;
    const { generation } = operator.metadata;
    const one = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
    await server.patch(`${deployment}/status`, {
      status: { observedGeneration: generation, ...one },
    });
    const installed = await server.get<LiveObject>(installationPath);
    if (installed === undefined) return;
    const [, tag = ""] = /tigera\/operator:v([\d.]+)/.exec(JSON.stringify(operator.spec)) ?? [];
    if (!serves) await serveCalicoApi(tag);
    serves = true;
    for (const name of ["ippools", "calico", "apiserver"]) {
      await report(name, installed.metadata.generation);
    }
    await server.patch(`${installationPath}/status`, {
      status: { variant: "Calico", calicoVersion: `v${calico[tag] ?? ""}` },
    });
  }

  const loop = (async () => {
    while (running) {
      await reconcile().catch((error: unknown) => (failure = error as Error));
      await setTimeout(200);
    }
  })();
  return async () => {
    running = false;
    await loop;
    if (failure !== undefined && !failure.message.startsWith("404")) throw failure;
  };
}

/** The fields of FelixConfiguration as the settings need them, a line each. */
function felixFieldsText(definition: string): string {
  const { spec } = parse(definition) as {
    spec: { versions: { schema: { openAPIV3Schema: FelixSchema } }[] };
  };
  const { properties } = spec.versions[0]?.schema.openAPIV3Schema.properties["spec"] ?? {};
  const lines = Object.entries(properties ?? {}).map(([name, schema]) => {
    const { type, pattern, allOf, minimum, maximum, maxLength } = schema;
    const either = schema["x-kubernetes-int-or-string"] === true;
    const field = {
      type: either ? "int-or-string" : type,
      // One that takes either has a pattern that takes anything.
      ...(!either && { pattern }),
      enum: schema.enum ?? allOf?.find((each) => each.enum !== undefined)?.enum,
      ...{ minimum, maximum, maxLength },
    };
    return `  ${JSON.stringify(name)}: ${JSON.stringify(field)}`;
  });
  return `{\n${lines.sort().join(",\n")}\n}\n`;
}

interface FelixSchema extends FelixField {
  readonly properties: Readonly<Record<string, FelixSchema>>;
  readonly allOf?: readonly FelixField[];
  readonly "x-kubernetes-int-or-string"?: boolean;
}

const release = calicoRelease("3.32.1");
/** What a next version would look like; nothing of it is there but its numbers. */
const next = { ...release, calico: "3.32.2", operator: "1.42.9" };

const installations = "/apis/operator.tigera.io/v1/installations";
const calicoApi = "/apis/projectcalico.org/v3";

const all = [
  ...["calico", "calico-apiserver", "calico-configuration"],
  ...["calico-definitions", "calico-endpoint", "calico-linux"],
  ...["tigera-operator", "tigera-operator-endpoint"],
];

/** The real engine, plugins, API server and definitions; the operator is stood in for. */
describe("Calico in the engine", () => {
  let server: ApiServer;
  let project: EngineProject;
  let stopOperator: () => Promise<void>;

  before(async () => {
    server = await ApiServer.start();
    await publishAddress(server);
    project = await calicoProject(release);
    await project.write("kubeconfig", server.kubeconfig);
    stopOperator = startOperator(server, {
      [release.operator]: release.calico,
      [next.operator]: next.calico,
    });
    await up({ felix: { logSeverityScreen: "Debug" } });
  });

  after(async () => {
    await stopOperator();
    await project.dispose();
    await server.stop();
  });

  const up = async (variation: Partial<Variation>, ...flags: string[]): Promise<EngineRun> => {
    await project.program(calicoProgram, { release, ...variation });
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
    const all = await server.get<{ items: object[] }>(definitions);
    assert.equal(all?.items.length, 32 + 2);
  });

  it("sets strict affinity in Calico's own API, and Felix's fields", async () => {
    assert.equal((await spec(`${calicoApi}/ipamconfigurations/default`))["strictAffinity"], true);
    const felix = await spec(`${calicoApi}/felixconfigurations/default`);
    assert.equal(felix["logSeverityScreen"], "Debug");
  });

  // UPDATE_GOLDEN=1 writes the file.
  it("checks settings of Felix by what the definition says", async () => {
    const folder = await operatorFolder(
      release.operator,
      () => undefined,
      goEnvironment("go-tests"),
    );
    const name = "calico/v1.crd.projectcalico.org/crd.projectcalico.org_felixconfigurations.yaml";
    const text = await readFile(path.join(folder, "pkg/imports/crds", name), "utf8");
    const file = new URL("../../../components/cni/calico/felix-fields.json", import.meta.url);
    const written = felixFieldsText(text);
    if (process.env["UPDATE_GOLDEN"] === "1") await writeFile(file, written);
    assert.equal(await readFile(file, "utf8"), written);
  });

  it("refuses a field that Felix has not, by its name", async () => {
    const program = ["toolchain/program/run.js", "components/cni/actions/configure-calico.ts"];
    const CALICO = JSON.stringify({ felix: { bpfLogLevle: "Info" }, timeoutSeconds: 2 });
    const env = { KUBECONFIG_CONTENT: server.kubeconfig, CALICO };
    const { exitCode, stderr } = await execa(process.execPath, program, { env, reject: false });
    assert.equal(exitCode, 1);
    assert.match(stderr, /unknown field .*spec\.bpfLogLevle/);
  });

  it("keeps what it was installed with where another stack adds what Windows nodes need", async () => {
    const before = await spec(installationPath);
    const fields = {
      apiVersion: "operator.tigera.io/v1",
      kind: "Installation",
      metadata: { name: "default" },
      spec: { calicoNetwork: { windowsDataplane: "HNS" } },
    };
    const program = ["toolchain/program/run.js", "components/controlplane/actions/apply-change.ts"];
    const CHANGE = JSON.stringify({ object: "Installation", path: installationPath, fields });
    const env = { KUBECONFIG_CONTENT: server.kubeconfig, CHANGE };
    const { exitCode, stderr } = await execa(process.execPath, program, { env, reject: false });
    assert.equal(exitCode, 0, stderr);
    assert.deepEqual(await spec(installationPath), before);
  });

  describe("by its real definitions", () => {
    const { Installation: usual } = installationObjects({
      podCidr: "10.244.0.0/16",
      serviceCidr: "10.96.0.0/16",
      encapsulation: "VXLAN",
      bgp: "Disabled",
      mtu: 1400,
      windows: true,
    });
    const network = usual.spec["calicoNetwork"] as object;
    const differing = (changes: object): object => ({
      ...usual,
      spec: { ...usual.spec, calicoNetwork: { ...network, ...changes } },
    });
    const query = "dryRun=All&fieldValidation=Strict";

    it("may be installed as we do it", () =>
      server.request(
        "PATCH",
        `${installationPath}?${query}&fieldManager=test&force=true`,
        usual,
        "application/apply-patch+yaml",
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
      await server.patch(installationPath, {
        spec: { calicoNetwork: { ipPools: pools } },
      });
      await server.patch(`${calicoApi}/felixconfigurations/default`, { spec: { vxlanVNI: 4096 } });
      const run = await up({ mtu: 1400, felix: { bpfLogLevel: "Info" } });
      assert.deepEqual(touched(run, "update"), [
        ...["calico", "calico-configuration", "calico-linux"],
      ]);
      const { calicoNetwork } = (await spec(installationPath)) as {
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
      const { calicoNetwork } = (await spec(installationPath)) as {
        calicoNetwork: object;
      };
      await server.patch(installationPath, {
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
        ...["calico", "calico-definitions", "calico-linux", "tigera-operator"],
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
