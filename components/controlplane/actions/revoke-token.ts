import { messageOf } from "../../../host/failure.ts";
import { tokenSecretName } from "../bootstrap-token-secret.ts";
import type { ClusterApi } from "../../../kubernetes/cluster-api.ts";

/**
 * Removes a bootstrap token that has been used, or is of no use any more; one that is gone is fine.
 *
 * @returns why it stays, which is no reason to fail: it expires by itself. Undefined when it is gone.
 */
export async function revokeToken(api: ClusterApi, id: string): Promise<string | undefined> {
  try {
    await api.delete(`/api/v1/namespaces/kube-system/secrets/${tokenSecretName(id)}`);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
