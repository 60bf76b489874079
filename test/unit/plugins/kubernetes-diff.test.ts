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
  const clusterRole = kind("rbac.authorization.k8s.io/v1:ClusterRole");
  const role = (verbs: readonly string[]): PropertyMap => named({ rules: [{ verbs }] });
  const bound = (name: string): PropertyMap => named({ roleRef: { name } });
  const [one, two] = [{ data: { a: "1" } }, { data: { a: "2" } }];
  const fixed = { immutable: true };
  const labelled = { ...named(selector("a")), metadata: { name: "x", labels: { l: "1" } } };
  const sealed = (a: string): PropertyMap => named({ stringData: secret({ a }) });
  const mutable = { ...strict, configMapMutable: true };
  const dataSecret = kind("core/v1:Secret");
  const binding = kind("rbac.authorization.k8s.io/v1:ClusterRoleBinding");

  type Case = readonly [
    what: string,
    of: Kind,
    olds: PropertyMap,
    news: PropertyMap,
    changed: string,
    settings?: typeof strict,
  ];
  /** By what is done for a difference. */
  const cases: Readonly<Record<"update" | "replace" | "delete and replace", readonly Case[]>> = {
    update: [
      ["data of a ConfigMap that is mutable", configMap, named(one), named(two), "data.a", mutable],
      ["a role's verbs", clusterRole, role(["get"]), role(["get", "list"]), "rules[0].verbs[1]"],
      ["a label", daemonSet, named(selector("a")), labelled, "metadata.labels"],
    ],
    replace: [
      ["another name", configMap, named({}), { metadata: { name: "y" } }, "metadata.name"],
      [
        ...(["another namespace", configMap, named({})] as const),
        ...([{ metadata: { name: "x", namespace: "n" } }, "metadata.namespace"] as const),
      ],
      ["an unknown name", configMap, named({}), { metadata: { name: unknown } }, "metadata.name"],
      ["data where the name was made up", configMap, autonamed(one), autonamed(two), "data.a"],
    ],
    "delete and replace": [
      ["data of a ConfigMap", configMap, named(one), named(two), "data.a"],
      [
        ...(["data of an immutable ConfigMap where data is mutable", configMap] as const),
        ...([named({ ...one, ...fixed }), named({ ...two, ...fixed }), "data.a", mutable] as const),
      ],
      ["data of a Secret", dataSecret, sealed("1"), sealed("2"), "stringData"],
      [
        ...(["a selector", daemonSet, named(selector("a")), named(selector("b"))] as const),
        "spec.selector.matchLabels.app",
      ],
      ["whom a binding binds to", binding, bound("a"), bound("b"), "roleRef.name"],
    ],
  };
  for (const [done, all] of Object.entries(cases)) {
    for (const [what, of, olds, news, changed, settings = strict] of all) {
      it(`are ${what}: ${done}`, () => {
        const { changes, deleteBeforeReplace } = diffObject(of, settings, olds, news);
        const replaces = done !== "update";
        assert.deepEqual(
          changes.map((each) => [each.path, each.replaces]),
          [[changed, replaces]],
        );
        if (replaces) assert.equal(deleteBeforeReplace, done === "delete and replace");
      });
    }
  }

  it("are none where there are none", () => {
    const { changes } = diffObject(configMap, strict, named({}), { metadata: { name: "x" } });
    assert.deepEqual(changes, []);
  });
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
