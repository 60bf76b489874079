import { readFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import { projectRoot } from "../../../toolchain/project.ts";
import type { ApiServer } from "../plugins/support/api-server.ts";

/** User name of the account. */
export const accountName = "system:serviceaccount:windows:kindows";

/**
 * Creates an account with the rights that docs/kubevirt.md requires in the machines' cluster. @returns its kubeconfig
 */
export async function documentedAccount(api: ApiServer): Promise<string> {
  const text = await readFile(path.join(projectRoot, "docs/kubevirt.md"), "utf8");
  const [, role = ""] = /```yaml\n(apiVersion: rbac[^]*?)```/.exec(text) ?? [];
  const account = { metadata: { name: "kindows", namespace: "windows" } };
  const accounts = "/api/v1/namespaces/windows/serviceaccounts";
  await api.request("POST", accounts, account);
  const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/windows";
  await api.request("POST", `${roles}/roles`, parse(role));
  await api.request("POST", `${roles}/rolebindings`, {
    metadata: { name: "kindows" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "kindows" },
    subjects: [{ kind: "ServiceAccount", ...account.metadata }],
  });
  const { status } = (await api.request("POST", `${accounts}/kindows/token`, {
    spec: { expirationSeconds: 7200 },
  })) as { status: { token: string } };
  const users = [{ name: "admin", user: { token: status.token } }];
  return JSON.stringify({ ...(JSON.parse(api.kubeconfig) as object), users });
}
