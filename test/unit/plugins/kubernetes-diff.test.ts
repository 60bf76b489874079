import assert from "node:assert/strict";
import { type Kind, kindOf } from "../../../plugins/kubernetes/kinds.ts";
import { diffObject } from "../../../plugins/kubernetes/object-diff.ts";
import { diffClusters } from "../../../plugins/kubernetes/provider.ts";
import { type PropertyMap, secret, unknown } from "../../../plugins/protocol/property-value.ts";
import { eachCase } from "../each-case.ts";

const kind = (name: string): Kind => kindOf(`kubernetes:${name}`) ?? assert.fail(name);

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
  /** A provider of a cluster at a port. */
  const to = (port: number, user = "u"): PropertyMap => ({
    kubeconfig: JSON.stringify({
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "k", user } }],
      clusters: [{ name: "k", cluster: { server: `https://127.0.0.1:${String(port)}` } }],
    }),
  });
  const veiled = { kubeconfig: unknown };
  const lab = { clusterIdentifier: "lab" };
  const moved = { kubeconfig: secret(to(2)["kubeconfig"] ?? null) };
  const cases: Readonly<Record<string, readonly [PropertyMap, PropertyMap]>> = {
    "keeps its objects for the same cluster with another user": [to(1), to(1, "v")],
    "replaces its objects for another cluster": [to(1), to(2)],
    "replaces its objects for a kubeconfig that is not known": [to(1), veiled],
    "keeps its objects for a kubeconfig that is not known, of a cluster with an identifier": [
      { ...to(1), ...lab },
      { ...veiled, ...lab },
    ],
    "keeps its objects for another address of a cluster with an identifier": [
      { ...to(1), ...lab },
      { ...moved, ...lab },
    ],
    "replaces its objects for another identifier": [lab, { clusterIdentifier: "other" }],
  };
  eachCase("%s", cases, ([olds, news], name) => {
    const { changes } = diffClusters(olds, news);
    assert.ok(changes.length > 0);
    const replaced = changes.some(({ replaces }) => replaces);
    assert.equal(replaced, name.startsWith("replaces"));
  });

  it("is no change when only the engine's own settings differ", () => {
    const { changes } = diffClusters({ version: "4.34.1" }, { version: "4.34.2" });
    assert.deepEqual(changes, []);
  });
});
