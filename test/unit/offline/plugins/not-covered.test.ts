import assert from "node:assert/strict";
import { commandProvider } from "../../../../offline/plugins/command/provider.ts";
import { dockerProvider } from "../../../../offline/plugins/docker/provider.ts";
import { kubernetesProvider } from "../../../../offline/plugins/kubernetes/provider.ts";
import { type PropertyMap, unknown } from "../../../../offline/plugins/protocol/property-value.ts";
import type {
  CheckFailure,
  ProviderDefinition,
} from "../../../../offline/plugins/protocol/resource-type.ts";

const providers = {
  command: commandProvider,
  docker: dockerProvider(),
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
    "docker:index/container:Container",
    "docker:index/network:Networks",
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
  const network = "docker:index/network:Network";
  const map = "kubernetes:core/v1:ConfigMap";
  const [host, hostKey] = ["h", "ssh-ed25519 AAAA"];
  const connection = { host, hostKey };
  const alone = { create: "x", addPreviousOutputInEnv: false };
  const metadata = { name: "x" };
  const [signature, asset] = [
    "4dabf18193072939515e22adb298388d",
    "c44067f5952c0a294b673a41bacd8c17",
  ];
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
    [local, { interpreter: ["x"] }, "interpreter"],
    [remote, { ...alone }, "connection"],
    [remote, { ...alone, connection: { hostKey } }, "connection.host"],
    [remote, { ...alone, connection: { host } }, "connection.hostKey"],
    [remote, { ...alone, connection: { ...connection, prot: 1 } }, "connection.prot"],
    [remote, { ...alone, connection: { ...connection, port: "22" } }, "connection.port"],
    [
      remote,
      { ...alone, connection: { ...connection, proxy: { hostKey } } },
      "connection.proxy.host",
    ],
    [remote, { ...alone, connection: { ...connection, password: "x" } }, "connection.password"],
    [remote, { ...alone, connection, interpreter: ["x"] }, "interpreter"],
    [remote, { ...alone, connection, environment: { A: "1" } }, "environment"],
    [remote, { connection }, "addPreviousOutputInEnv"],
    [remote, { connection, addPreviousOutputInEnv: true }, "addPreviousOutputInEnv"],
    [copy, { connection, remotePath: "/x" }, "source"],
    [copy, { connection, remotePath: "/x", source: "text" }, "source"],
    [copy, { connection, remotePath: "/x", source: { [signature]: asset, text: "x" } }, "source"],
    [network, {}, "name"],
    [network, { name: "x", internal: true }, "internal"],
    [network, { name: "x", ipv6: true }, "ipv6"],
    [network, { name: "x", ipamConfigs: [{ subnets: "x" }] }, "ipamConfigs[0].subnets"],
    [network, { name: "x", labels: [{ label: "x" }] }, "labels[0].value"],
    [map, { metadata, kind: "Secret" }, "kind"],
    [map, { metadata, apiVersion: "v2" }, "apiVersion"],
    [map, {}, "metadata.name"],
    [map, { metadata: { generateName: "x-" } }, "metadata.name"],
    [
      map,
      { metadata: { ...metadata, annotations: { [waitFor]: "x" } } },
      `metadata.annotations["${waitFor}"]`,
    ],
  ];
  for (const [type, news, property] of properties) {
    it(`refuses ${property} of ${type}: ${JSON.stringify(news)}`, () => {
      const checked = providerOf(type).resourceType(type).check(news);
      assert.deepEqual(named(checked.failures), [property]);
    });
  }

  const covered = { version: "4.34.2", kubeconfig: "{}", clusterIdentifier: "c" };
  const settings: readonly [Provider, PropertyMap, ...refused: string[]][] = [
    ["docker", { version: "5.2.0", host: "unix:///x", disableDockerDaemonCheck: "true" }],
    ["docker", { host: "ssh://user@elsewhere" }, "host"],
    ["docker", { certPath: "/certificates" }, "certPath"],
    ["docker", { hots: "unix:///x" }, "hots"],
    ["kubernetes", { ...covered, deleteUnreachable: "true" }],
    ["kubernetes", { ...covered, kubeconfig: unknown }],
    ["kubernetes", { ...covered, renderYamlToDirectory: "/yaml" }, "renderYamlToDirectory"],
    ["kubernetes", { ...covered, enableServerSideApply: "false" }, "enableServerSideApply"],
    ["kubernetes", { ...covered, enableConfigMapMutable: "true" }, "enableConfigMapMutable"],
    ["kubernetes", { ...covered, kubeconfig: "~/.kube/config" }, "kubeconfig"],
    ["kubernetes", { ...covered, kubeConfig: "typo" }, "kubeConfig"],
    ["kubernetes", {}, "kubeconfig", "clusterIdentifier"],
  ];
  for (const [name, given, ...refused] of settings) {
    it(`refuses of the ${name} provider's settings ${JSON.stringify(given)}: ${refused.join(", ") || "none"}`, () => {
      assert.deepEqual(named(providers[name].checkConfig(given).failures), refused);
    });
  }
});
