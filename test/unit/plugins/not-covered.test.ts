import assert from "node:assert/strict";
import { commandProvider } from "../../../plugins/command/provider.ts";
import { dockerProvider } from "../../../plugins/docker/provider.ts";
import { kubernetesProvider } from "../../../plugins/kubernetes/provider.ts";
import type { PropertyMap } from "../../../plugins/protocol/property-value.ts";
import type { CheckFailure, ProviderDefinition } from "../../../plugins/protocol/resource-type.ts";

const providers = {
  command: commandProvider,
  docker: dockerProvider(),
  kubernetes: kubernetesProvider(),
} as const satisfies Readonly<Record<string, ProviderDefinition>>;

type Provider = keyof typeof providers;

const named = (failures: readonly CheckFailure[]): readonly string[] =>
  failures.map(({ property }) => property);

describe("what the bundled plugins do not cover", () => {
  const types: readonly [Provider, string][] = [
    ["command", "command:remote:CopyFile"],
    ["command", "command:local:Nothing"],
    ["docker", "docker:index/container:Container"],
    ["docker", "docker:index/image:Image"],
    ["docker", "docker:index/network:Networks"],
    ["kubernetes", "kubernetes:core/v1:Service"],
    ["kubernetes", "kubernetes:core/v1:ConfigMapList"],
    ["kubernetes", "kubernetes:core/v1:NamespacePatch"],
    ["kubernetes", "kubernetes:helm.sh/v3:Release"],
    ["kubernetes", "kubernetes:apps/v1beta1:Deployment"],
    ["kubernetes", "kubernetes:operator.tigera.io/v1:LogStorage"],
  ];
  for (const [provider, type] of types) {
    it(`refuses the type ${type}, by name`, () => {
      assert.throws(
        () => providers[provider].resourceType(type),
        (error: Error) =>
          error.message.includes(type) && error.message.includes(`pulumi-resource-${provider}`),
      );
    });
  }

  const local = "command:local:Command";
  const remote = "command:remote:Command";
  const copy = "command:remote:CopyToRemote";
  const network = "docker:index/network:Network";
  const map = "kubernetes:core/v1:ConfigMap";
  const connection = { host: "h" };
  const properties: readonly [Provider, string, PropertyMap, string][] = [
    ["command", local, { assetPaths: ["*"] }, "assetPaths"],
    ["command", local, { archivePaths: ["*"] }, "archivePaths"],
    ["command", local, { creat: "typo" }, "creat"],
    ["command", local, { create: 1 }, "create"],
    ["command", local, { logging: "everything" }, "logging"],
    ["command", local, { environment: { A: 1 } }, "environment.A"],
    ["command", local, { triggers: "not a list" }, "triggers"],
    ["command", local, { connection }, "connection"],
    ["command", remote, { create: "x" }, "connection"],
    ["command", remote, { connection: {} }, "connection.host"],
    ["command", remote, { connection: { host: "h", prot: 1 } }, "connection.prot"],
    ["command", remote, { connection: { host: "h", port: "22" } }, "connection.port"],
    [
      "command",
      remote,
      { connection: { host: "h", proxy: { user: "u" } } },
      "connection.proxy.host",
    ],
    ["command", remote, { connection, interpreter: ["x"] }, "interpreter"],
    ["command", copy, { connection, remotePath: "/x" }, "source"],
    ["command", copy, { connection, remotePath: "/x", source: "text" }, "source"],
    ["docker", network, { checkDuplicate: true }, "checkDuplicate"],
    ["docker", network, { ipamConfigs: [{ subnets: "x" }] }, "ipamConfigs[0].subnets"],
    ["docker", network, { labels: [{ label: "x" }] }, "labels[0].value"],
    ["docker", network, { internal: "yes" }, "internal"],
    ["kubernetes", map, { kind: "Secret" }, "kind"],
    ["kubernetes", map, { apiVersion: "v2" }, "apiVersion"],
    ["kubernetes", map, { metadata: { generateName: "x-" } }, "metadata.generateName"],
    [
      "kubernetes",
      map,
      { metadata: { annotations: { "pulumi.com/waitFor": "condition=Ready" } } },
      'metadata.annotations["pulumi.com/waitFor"]',
    ],
  ];
  for (const [provider, type, news, property] of properties) {
    it(`refuses ${property} of ${type}: ${JSON.stringify(news)}`, async () => {
      const checked = await providers[provider]
        .resourceType(type)
        .check({ name: "x", olds: {}, news, randomSeed: new Uint8Array(32) });
      assert.deepEqual(named(checked.failures), [property]);
    });
  }

  const settings: readonly [Provider, PropertyMap, string][] = [
    ["docker", { certPath: "/certificates" }, "certPath"],
    ["docker", { registryAuth: "[]" }, "registryAuth"],
    ["docker", { hots: "unix:///x" }, "hots"],
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
    const given = { version: "5.2.0", host: "unix:///x", pluginDownloadURL: "x" };
    assert.deepEqual((await providers.docker.checkConfig(given)).failures, []);
    const kubernetes = { version: "4.34.2", kubeconfig: "x", deleteUnreachable: "true" };
    assert.deepEqual((await providers.kubernetes.checkConfig(kubernetes)).failures, []);
  });

  it("refuses a kind of Docker host that it does not cover", () => {
    assert.throws(() => {
      dockerProvider().configure({ host: "ssh://user@elsewhere" });
    }, /ssh:\/\/user@elsewhere is not covered/);
  });
});
