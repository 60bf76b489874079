import { messageOf } from "../../../host/failure.ts";
import { newToken, tokenSecret, tokenSecretName, type Token } from "../bootstrap-token-secret.ts";
import type { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { type Look, waitUntil } from "../../../host/wait-until.ts";

/** Longest wait for the API server, in seconds: it may just have started. */
const apiTimeoutSeconds = 60;

export interface TokenRequest {
  readonly ttlMinutes: number;
  /** For people who look at the Secret, e.g. `kindows: join of win-1`. */
  readonly description: string;
}

export async function mintToken(api: ClusterApi, request: TokenRequest): Promise<Token> {
  return waitUntil(
    { what: "the API server to take a bootstrap token", timeoutSeconds: apiTimeoutSeconds },
    async (): Promise<Look<Token>> => {
      const token = newToken();
      const expiration = new Date(Date.now() + request.ttlMinutes * 60_000);
      const secret = tokenSecret(token, expiration, request.description);
      await api.post("/api/v1/namespaces/kube-system/secrets", secret);
      return { found: token };
    },
  );
}

/** Removes a bootstrap token; one that is gone is fine. @returns why it stays until it expires, if it does */
export async function revokeToken(api: ClusterApi, id: string): Promise<string | undefined> {
  try {
    await api.delete(`/api/v1/namespaces/kube-system/secrets/${tokenSecretName(id)}`);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
