import assert from "node:assert/strict";
import { type Kind, kindOf } from "../../../plugins/kubernetes/kinds.ts";
import { diffObject } from "../../../plugins/kubernetes/object-diff.ts";
import { diffClusters } from "../../../plugins/kubernetes/provider.ts";
import { type PropertyMap, secret, unknown } from "../../../plugins/protocol/property-value.ts";

function kind(name: string): Kind {
  const found = kindOf(`kubernetes:${name}`);
  assert.ok(found, name);
  return found;
}

const configMap = kind("core/v1:ConfigMap");
const daemonSet = kind("apps/v1:DaemonSet");
const strict = { configMapMutable: false, secretMutable: false };

describe("differences between Kubernetes objects", () => {
  const named = (more: PropertyMap): PropertyMap => ({
    metadata: { name: "x", namespace: "default" },
    ...more,
  });
  const autonamed = (more: PropertyMap): PropertyMap => ({
    metadata: { name: "x-1", annotations: { "pulumi.com/autonamed": "true" } },
    ...more,
  });
  const selector = (app: string): PropertyMap => ({
    spec: { selector: { matchLabels: { app } }, template: {} },
  });
  const cases: readonly {
    what: string;
    of?: Kind;
    settings?: typeof strict;
    olds: PropertyMap;
    news: PropertyMap;
    changed: readonly string[];
    replaced?: readonly string[];
    deletedFirst?: boolean;
  }[] = [
    { what: "nothing", olds: named({}), news: { metadata: { name: "x" } }, changed: [] },
    {
      what: "another name",
      olds: named({}),
      news: { metadata: { name: "y" } },
      changed: ["metadata.name"],
      replaced: ["metadata.name"],
      deletedFirst: false,
    },
    {
      what: "another namespace",
      olds: named({}),
      news: { metadata: { name: "x", namespace: "n" } },
      changed: ["metadata.namespace"],
      replaced: ["metadata.namespace"],
      deletedFirst: false,
    },
    {
      what: "a name that is not known",
      olds: named({}),
      news: { metadata: { name: unknown } },
      changed: ["metadata.name"],
      replaced: ["metadata.name"],
      deletedFirst: false,
    },
    {
      what: "data of a ConfigMap",
      olds: named({ data: { a: "1" } }),
      news: named({ data: { a: "2" } }),
      changed: ["data.a"],
      replaced: ["data.a"],
      deletedFirst: true,
    },
    {
      what: "data of a ConfigMap with a name that was made up",
      olds: autonamed({ data: { a: "1" } }),
      news: autonamed({ data: { a: "2" } }),
      changed: ["data.a"],
      replaced: ["data.a"],
      deletedFirst: false,
    },
    {
      what: "data of a ConfigMap where it is mutable",
      settings: { ...strict, configMapMutable: true },
      olds: named({ data: { a: "1" } }),
      news: named({ data: { a: "2" } }),
      changed: ["data.a"],
    },
    {
      what: "data of an immutable ConfigMap where data is mutable",
      settings: { ...strict, configMapMutable: true },
      olds: named({ data: { a: "1" }, immutable: true }),
      news: named({ data: { a: "2" }, immutable: true }),
      changed: ["data.a"],
      replaced: ["data.a"],
      deletedFirst: true,
    },
    {
      what: "data of a Secret",
      of: kind("core/v1:Secret"),
      olds: named({ stringData: secret({ a: "1" }) }),
      news: named({ stringData: secret({ a: "2" }) }),
      changed: ["stringData"],
      replaced: ["stringData"],
      deletedFirst: true,
    },
    {
      what: "a label",
      of: daemonSet,
      olds: named(selector("a")),
      news: { ...named(selector("a")), metadata: { name: "x", labels: { l: "1" } } },
      changed: ["metadata.labels"],
    },
    {
      what: "a selector",
      of: daemonSet,
      olds: named(selector("a")),
      news: named(selector("b")),
      changed: ["spec.selector.matchLabels.app"],
      replaced: ["spec.selector.matchLabels.app"],
      deletedFirst: true,
    },
    {
      what: "whom a binding binds to",
      of: kind("rbac.authorization.k8s.io/v1:ClusterRoleBinding"),
      olds: named({ roleRef: { name: "a" } }),
      news: { metadata: { name: "x" }, roleRef: { name: "b" } },
      changed: ["roleRef.name"],
      replaced: ["roleRef.name"],
      deletedFirst: true,
    },
  ];
  for (const { what, of = configMap, settings = strict, olds, news, ...expected } of cases) {
    it(`sees ${what}`, () => {
      const { changes, deleteBeforeReplace } = diffObject(of, settings, olds, news);
      assert.deepEqual(
        changes.map(({ path }) => path),
        expected.changed,
      );
      const replaced = changes.filter(({ replaces }) => replaces).map(({ path }) => path);
      assert.deepEqual(replaced, expected.replaced ?? []);
      if (replaced.length > 0) assert.equal(deleteBeforeReplace, expected.deletedFirst);
    });
  }
});

describe("a changed provider", () => {
  const kubeconfig = (port: number, user = "u"): string =>
    JSON.stringify({
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "k", user } }],
      clusters: [{ name: "k", cluster: { server: `https://127.0.0.1:${String(port)}` } }],
    });
  const cases: readonly [string, PropertyMap, PropertyMap, boolean][] = [
    [
      "the same cluster with another user",
      { kubeconfig: kubeconfig(1) },
      { kubeconfig: kubeconfig(1, "v") },
      false,
    ],
    ["another cluster", { kubeconfig: kubeconfig(1) }, { kubeconfig: kubeconfig(2) }, true],
    [
      "a kubeconfig that is not known",
      { kubeconfig: kubeconfig(1) },
      { kubeconfig: unknown },
      true,
    ],
    [
      "a kubeconfig that is not known, of a cluster with an identifier",
      { kubeconfig: kubeconfig(1), clusterIdentifier: "lab" },
      { kubeconfig: unknown, clusterIdentifier: "lab" },
      false,
    ],
    [
      "another address of a cluster with an identifier",
      { kubeconfig: kubeconfig(1), clusterIdentifier: "lab" },
      { kubeconfig: secret(kubeconfig(2)), clusterIdentifier: "lab" },
      false,
    ],
    ["another identifier", { clusterIdentifier: "lab" }, { clusterIdentifier: "other" }, true],
  ];
  for (const [what, olds, news, replaced] of cases) {
    it(`${replaced ? "replaces" : "keeps"} its objects for ${what}`, async () => {
      const { changes } = await diffClusters(olds, news);
      assert.ok(changes.length > 0);
      assert.equal(
        changes.some(({ replaces }) => replaces),
        replaced,
      );
    });
  }

  it("is no change when only the engine's own settings differ", async () => {
    const { changes } = await diffClusters({ version: "4.34.1" }, { version: "4.34.2" });
    assert.deepEqual(changes, []);
  });
});
