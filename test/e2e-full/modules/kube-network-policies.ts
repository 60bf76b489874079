import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { stringify } from "yaml";

import { agnhostImage } from "../../../images/node/container-images.ts";
import type { Artifact } from "../../../toolchain/artifact.ts";
import { ensureGo, requireGo } from "../../../toolchain/tools/go-toolchain.ts";
import { hashSources } from "../../../toolchain/tools/sources-hash.ts";
import { compile, copyModule } from "./compile.ts";

/** Name of the program, in the artifact's folder and in the cluster. */
export const enforcer = "kube-network-policies";

/** nftables' own NFQUEUE target, which not every kernel has; iptables' target is the same for both of their tables. */
const queue =
  /queue := &expr\.Queue\{Num: uint16\(c\.config\.QueueID\)\}\n\tif c\.config\.FailOpen \{\n.*\n\t\}/g;
const iptablesQueue =
  'queue := &expr.Target{Name: "NFQUEUE", Info: &xt.Unknown{byte(c.config.QueueID), 0, 0, 0, 0, 0, 0, 0}}';

/** The enforcement of NetworkPolicies in kind's kindnetd, as a separate program. */
export const enforcerProgram: Artifact = {
  name: "test-kube-network-policies",
  needs: [],
  hostPackages: [],
  check: () => requireGo("test-kube-network-policies"),
  inputs: async () => ({ sources: await hashSources(import.meta.dirname, [import.meta.dirname]) }),
  async build(into, context) {
    await ensureGo("test-kube-network-policies", context.progress);
    const module = path.join(into, "work");
    await copyModule("sigs.k8s.io/kube-network-policies", module);
    const file = path.join(module, "pkg/networkpolicy/controller.go");
    const expr = '"github.com/google/nftables/expr"\n';
    const source = (await readFile(file, "utf8"))
      .replaceAll(queue, iptablesQueue)
      .replace(expr, `${expr}"github.com/google/nftables/xt"\n`);
    await writeFile(file, source);
    context.progress(`compiles ${enforcer}`);
    await compile(module, "./cmd", path.join(into, enforcer), context);
    await rm(module, { recursive: true });
  },
};

/** Objects like upstream's install.yaml that run the program from a folder of the Linux nodes instead of an image. */
export function enforcerObjects(folder: string): string {
  const metadata = { name: enforcer, namespace: "kube-system" };
  const labels = { app: enforcer };
  const verbs = ["list", "watch"];
  const role = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: enforcer };
  const rbac = "rbac.authorization.k8s.io/v1";
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    {
      apiVersion: rbac,
      kind: "ClusterRole",
      metadata,
      rules: [
        { apiGroups: [""], resources: ["pods", "namespaces"], verbs },
        { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs },
      ],
    },
    {
      apiVersion: rbac,
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: role,
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    },
    {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata,
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            hostNetwork: true,
            serviceAccountName: enforcer,
            nodeSelector: { "kubernetes.io/os": "linux" },
            tolerations: [{ operator: "Exists" }],
            containers: [
              {
                name: enforcer,
                image: agnhostImage,
                imagePullPolicy: "Never",
                command: [`${folder}/${enforcer}`, "--hostname-override=$(NODE_NAME)"],
                env: [
                  { name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
                ],
                securityContext: { privileged: true },
                volumeMounts: [{ name: "program", mountPath: folder, readOnly: true }],
              },
            ],
            volumes: [{ name: "program", hostPath: { path: folder } }],
          },
        },
      },
    },
  ]
    .map((object) => stringify(object))
    .join("---\n");
}
