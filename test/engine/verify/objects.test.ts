import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseAllDocuments } from "yaml";
import { windowsAccess } from "../../../components/cni/flannel/flannel.ts";
import { accessObjects } from "../../../components/cni/windows-access.ts";
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { readEndpointSlices } from "../../../host/kubernetes/endpoint-slices.ts";
import { agnhostImage } from "../../../images/node/container-images.ts";
import {
  conformanceImage,
  conformanceObjects,
  namespace as conformanceNamespace,
} from "../../../verify/conformance/objects.ts";
import { suiteNamed } from "../../../verify/conformance/suites.ts";
import { namespace } from "../../../verify/objects/names.ts";
import { allRoles } from "../../../verify/objects/roles.ts";
import { fitted, readSample } from "../../../verify/objects/samples.ts";
import { namespaceObject, workloads } from "../../../verify/objects/workloads.ts";
import { allRows } from "../../../verify/rows/select.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { ApiServer } from "../plugins/support/api-server.ts";
import { networkPolicies } from "../../../verify/rows/policy-cases.ts";

interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string };
}

/** An object of the program's, without the engine's types. */
const plain = (object: object): KubeObject => JSON.parse(JSON.stringify(object)) as KubeObject;

const resources: Readonly<Record<string, string>> = {
  ClusterRole: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  ClusterRoleBinding: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  ConfigMap: "/api/v1/namespaces/NS/configmaps",
  DaemonSet: "/apis/apps/v1/namespaces/NS/daemonsets",
  Deployment: "/apis/apps/v1/namespaces/NS/deployments",
  HorizontalPodAutoscaler: "/apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers",
  Job: "/apis/batch/v1/namespaces/NS/jobs",
  NetworkPolicy: "/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies",
  Pod: "/api/v1/namespaces/NS/pods",
  Secret: "/api/v1/namespaces/NS/secrets",
  Service: "/api/v1/namespaces/NS/services",
  ServiceAccount: "/api/v1/namespaces/NS/serviceaccounts",
};

/** A real API server takes everything that verify and the samples would make, field by field. */
describe("objects of verify, before a real API server", () => {
  let server: ApiServer;

  before(async () => {
    server = await ApiServer.start();
    await server.request("POST", "/api/v1/namespaces", namespaceObject());
  });
  after(() => server.stop());

  async function taken(objects: readonly KubeObject[], into: string): Promise<void> {
    for (const object of objects) {
      const place = resources[object.kind ?? ""]?.replace("NS", into);
      assert.ok(place, object.kind);
      const checked = `${place}?dryRun=All&fieldValidation=Strict`;
      const made = (await server.request("POST", checked, object)) as KubeObject;
      assert.equal(made.metadata?.name, object.metadata?.name);
    }
  }

  it("are taken, for Linux and Windows", () =>
    taken(
      [
        ...workloads(allRoles(allRows), agnhostImage),
        ...networkPolicies("linux"),
        ...networkPolicies("windows"),
      ],
      namespace,
    ));

  // Also those that are no row.
  const files = path.join(projectRoot, "examples/applications");
  for (const file of readdirSync(files).filter((name) => name.endsWith(".yaml"))) {
    it(`are taken: the sample ${file} as it is`, async () => {
      const text = readFileSync(path.join(files, file), "utf8");
      await taken(
        parseAllDocuments(text).map((document) => document.toJS() as KubeObject),
        "default",
      );
    });
  }

  for (const look of ["settings", "node-agent", "web-server", "shop"] as const) {
    it(`are taken: the sample ${look} as verify fits it`, async () => {
      const objects = await readSample(look);
      const windows = { os: "windows", windowsBuild: "10.0.20348", agnhost: agnhostImage } as const;
      await taken(fitted(objects, windows), namespace);
      await taken(fitted(objects, { os: "linux", agnhost: agnhostImage }), namespace);
    });
  }

  it("are taken: what conformance applies, and what Flannel's nodes may", async () => {
    const suite = suiteNamed("conformance");
    const run = { suite, kubernetesVersion: "1.36.4", windowsNodes: 1, timeoutSeconds: 60 };
    const images = { tests: conformanceImage("1.36.4"), results: agnhostImage };
    const [namespaceOfRun, ...rest] = conformanceObjects(run, images, "a: b\n");
    await server.request("POST", "/api/v1/namespaces", namespaceOfRun);
    await taken(rest, conformanceNamespace);
    const kinds = { apiVersion: "rbac.authorization.k8s.io/v1" };
    const { role, binding } = accessObjects(windowsAccess);
    await taken(
      [
        { ...kinds, kind: "ClusterRole", ...plain(role) },
        { ...kinds, kind: "ClusterRoleBinding", ...plain(binding) },
      ],
      "",
    );
  });

  it("would be refused with a field that there is not", async () => {
    const [object] = workloads([{ os: "linux", part: "client" }], agnhostImage);
    assert.ok(object);
    const wrong = { ...object, spec: { ...object.spec, selectors: {} } };
    await assert.rejects(taken([wrong], namespace), /unknown field \\"spec\.selectors\\"/);
  });

  // A Service whose selector fits nothing has a slice, and its list of endpoints comes back as null.
  it("are read back: EndpointSlices have a list of endpoints, also where there are none", async () => {
    const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    const slice = (name: string, endpoints: readonly object[]): object => ({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      addressType: "IPv4",
      metadata: { name, labels: { "kubernetes.io/service-name": "asked-for" } },
      endpoints,
      ports: [],
    });
    await server.request("POST", slices, slice("empty", []));
    await server.request("POST", slices, slice("full", [{ addresses: ["10.244.0.9"] }]));
    const written = (await server.request("GET", `${slices}/empty`)) as { endpoints: unknown };
    assert.equal(written.endpoints, null);

    const api = new ClusterApi(server.kubeconfig);
    const service = "kubernetes.io/service-name=asked-for";
    const read = await readEndpointSlices(api, "default", service);
    assert.deepEqual(
      read.map(({ metadata, endpoints }) => [metadata?.name, endpoints?.map((e) => e.addresses)]),
      [
        ["empty", []],
        ["full", [["10.244.0.9"]]],
      ],
    );
  });
});
