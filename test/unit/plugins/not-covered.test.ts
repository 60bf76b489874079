import assert from "node:assert/strict";
import { commandProvider } from "../../../plugins/command/provider.ts";
import { kubernetesProvider } from "../../../plugins/kubernetes/provider.ts";
import type { PropertyMap } from "../../../plugins/protocol/property-value.ts";
import type { CheckFailure, ProviderDefinition } from "../../../plugins/protocol/resource-type.ts";

const providers = {
  command: commandProvider,
  kubernetes: kubernetesProvider(),
} as const satisfies Readonly<Record<string, ProviderDefinition>>;

type Provider = keyof typeof providers;

const providerOf = (type: string): ProviderDefinition => providers[type.split(":")[0] as Provider];

const named = (failures: readonly CheckFailure[]): readonly string[] =>
  failures.map(({ property }) => property);

describe("what the bundled plugins do not cover", () => {
  const types: readonly string[] = [
    "command:remote:CopyFile",
    "command:local:Nothing",
    "kubernetes:core/v1:Service",
    "kubernetes:core/v1:ConfigMapList",
    "kubernetes:core/v1:NamespacePatch",
    "kubernetes:helm.sh/v3:Release",
    "kubernetes:apps/v1beta1:Deployment",
    "kubernetes:operator.tigera.io/v1:LogStorage",
  ];
  for (const type of types) {
    it(`refuses the type ${type}, by name`, () => {
      assert.throws(
        () => providerOf(type).resourceType(type),
        ({ message }: Error) =>
          message.includes(type) && message.includes(`pulumi-resource-${type.split(":")[0]}`),
      );
    });
  }

  const local = "command:local:Command";
  const remote = "command:remote:Command";
  const copy = "command:remote:CopyToRemote";
  const map = "kubernetes:core/v1:ConfigMap";
  const connection = { host: "h" };
  const waitFor = "pulumi.com/waitFor";
  const properties: readonly [string, PropertyMap, string][] = [
    [local, { assetPaths: ["*"] }, "assetPaths"],
    [local, { archivePaths: ["*"] }, "archivePaths"],
    [local, { creat: "typo" }, "creat"],
    [local, { create: 1 }, "create"],
    [local, { logging: "everything" }, "logging"],
    [local, { environment: { A: 1 } }, "environment.A"],
    [local, { triggers: "not a list" }, "triggers"],
    [local, { connection }, "connection"],
    [remote, { create: "x" }, "connection"],
    [remote, { connection: {} }, "connection.host"],
    [remote, { connection: { host: "h", prot: 1 } }, "connection.prot"],
    [remote, { connection: { host: "h", port: "22" } }, "connection.port"],
    [remote, { connection: { host: "h", proxy: { user: "u" } } }, "connection.proxy.host"],
    [remote, { connection, interpreter: ["x"] }, "interpreter"],
    [copy, { connection, remotePath: "/x" }, "source"],
    [copy, { connection, remotePath: "/x", source: "text" }, "source"],
    [map, { kind: "Secret" }, "kind"],
    [map, { apiVersion: "v2" }, "apiVersion"],
    [map, { metadata: { generateName: "x-" } }, "metadata.generateName"],
    [map, { metadata: { annotations: { [waitFor]: "x" } } }, `metadata.annotations["${waitFor}"]`],
  ];
  for (const [type, news, property] of properties) {
    it(`refuses ${property} of ${type}: ${JSON.stringify(news)}`, async () => {
      const checked = await providerOf(type)
        .resourceType(type)
        .check({ name: "x", olds: {}, news, randomSeed: new Uint8Array(32) });
      assert.deepEqual(named(checked.failures), [property]);
    });
  }

  const settings: readonly [Provider, PropertyMap, string][] = [
    ["kubernetes", { renderYamlToDirectory: "/yaml" }, "renderYamlToDirectory"],
    ["kubernetes", { enableServerSideApply: "false" }, "enableServerSideApply"],
    ["kubernetes", { skipUpdateUnreachable: "true" }, "skipUpdateUnreachable"],
    ["kubernetes", { kubeConfig: "typo" }, "kubeConfig"],
  ];
  for (const [provider, given, property] of settings) {
    it(`refuses the setting ${property} of the ${provider} provider`, async () => {
      const checked = await providers[provider].checkConfig(given);
      assert.deepEqual(named(checked.failures), [property]);
    });
  }

  it("takes settings that it covers, and those of the engine", async () => {
    const kubernetes = { version: "4.34.2", kubeconfig: "x", deleteUnreachable: "true" };
    assert.deepEqual((await providers.kubernetes.checkConfig(kubernetes)).failures, []);
  });
});
