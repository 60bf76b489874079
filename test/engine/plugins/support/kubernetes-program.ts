/** Objects of a program by name: type, arguments as JavaScript, and resource options as JavaScript. */
export type Objects = Readonly<Record<string, readonly [string, string, string?]>>;

/** A program with a provider for the file `kubeconfig` and the objects given; exports their names. */
export function kubernetesProgram(
  objects: Objects,
  settings = "clusterIdentifier: 'test'",
): string {
  const types = [...new Set(Object.values(objects).map(([type]) => type))];
  const imports = types.map((type) => {
    const [group = "", version = "", kind = ""] = type.split("/");
    const file = `${kind.charAt(0).toLowerCase()}${kind.slice(1)}.js`;
    return `import { ${kind} } from "@pulumi/kubernetes/${group}/${version}/${file}";`;
  });
  const resources = Object.entries(objects).map(
    ([name, [type, args, options = ""]]) =>
      `export const ${name} = new ${type.split("/")[2] ?? ""}('${name}', ${args},
        { provider, ${options} }).metadata.name;`,
  );
  return `
    import { readFileSync } from "node:fs";
    import * as pulumi from "@pulumi/pulumi";
    import { Provider } from "@pulumi/kubernetes/provider.js";
    ${imports.join("\n")}
    const kubeconfig = pulumi.secret(readFileSync('kubeconfig', 'utf8'));
    const provider = new Provider('cluster', { kubeconfig, ${settings} });
    ${resources.join("\n")}
  `;
}

export const namespace = ["core/v1/Namespace", "{ metadata: { name: 'lab' } }"] as const;

export const settings = (data: string): readonly [string, string, string] => [
  "core/v1/ConfigMap",
  `{ metadata: { name: 'settings', namespace: 'lab' }, data: ${data} }`,
  "dependsOn: []",
];

export const account = [
  "core/v1/ServiceAccount",
  "{ metadata: { namespace: 'lab', labels: { app: 'x' } } }",
] as const;

export const role = [
  "rbac/v1/ClusterRole",
  `{ metadata: { name: 'reader' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }`,
] as const;

export const secret = [
  "core/v1/Secret",
  "{ metadata: { name: 'secret', namespace: 'lab' }, stringData: { password: 'hunter2-hunter2' } }",
] as const;

export const proxy = (image: string, timeout = "60s"): readonly [string, string, string] => [
  "apps/v1/DaemonSet",
  `{ metadata: { name: 'proxy', namespace: 'lab' }, spec: {
      selector: { matchLabels: { app: 'proxy' } },
      template: {
        metadata: { labels: { app: 'proxy' } },
        spec: { containers: [{ name: 'main', image: '${image}', resources: { requests: { cpu: '1000m' } } }] },
      } } }`,
  `customTimeouts: { create: '${timeout}', update: '${timeout}' }`,
];
