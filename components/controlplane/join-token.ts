import { randomInt } from "node:crypto";
import type { V1Secret } from "@kubernetes/client-node";
import { messageOf } from "../../host/failure.ts";
import { waitUntil } from "../../host/wait-until.ts";
import type { ClusterApi } from "../../host/kubernetes/cluster-api.ts";

/** Group that kubeadm allows to join nodes. */
const nodeGroup = "system:bootstrappers:kubeadm:default-node-token";

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Longest wait for the API server, in seconds: it may just have started. */
const apiTimeoutSeconds = 60;

/** A new bootstrap token in kubeadm's form, `<id>.<secret>`, e.g. `abcdef.0123456789abcdef`. */
export function newToken(): string {
  return `${randomText(6)}.${randomText(16)}`;
}

/** The part of a token that is not secret. */
export function tokenId(token: string): string {
  return token.slice(0, token.indexOf("."));
}

const secrets = "/api/v1/namespaces/kube-system/secrets";

export function tokenSecretPath(id: string): string {
  return `${secrets}/${tokenSecretName(id)}`;
}

function tokenSecretName(id: string): string {
  return `bootstrap-token-${id}`;
}

/** Secret that makes the API server accept a token until `expiration`. Kubernetes deletes the Secret after that. */
export function tokenSecret(token: string, expiration: Date, description: string): V1Secret {
  const id = tokenId(token);
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "bootstrap.kubernetes.io/token",
    metadata: { name: tokenSecretName(id), namespace: "kube-system" },
    stringData: {
      description,
      "token-id": id,
      "token-secret": token.slice(id.length + 1),
      // RFC 3339 without fractions, as the API server's validation requires.
      expiration: expiration.toISOString().replace(/\.\d+Z$/, "Z"),
      "usage-bootstrap-authentication": "true",
      "usage-bootstrap-signing": "true",
      "auth-extra-groups": nodeGroup,
    },
  };
}

/**
 * Makes the cluster accept a new token.
 *
 * @param description shown by `kubeadm token list`, e.g. `kindows: join of win-1`.
 */
export function mintToken(
  api: ClusterApi,
  { ttlMinutes, description }: { readonly ttlMinutes: number; readonly description: string },
): Promise<string> {
  const what = "the API server to accept a bootstrap token";
  return waitUntil({ what, timeoutSeconds: apiTimeoutSeconds }, async () => {
    const token = newToken();
    const expiration = new Date(Date.now() + ttlMinutes * 60_000);
    await api.post(secrets, tokenSecret(token, expiration, description));
    return { found: token };
  });
}

/**
 * Deletes a bootstrap token if it still exists.
 *
 * @returns why that failed, if it did; the token then stays until it expires
 */
export async function revokeToken(api: ClusterApi, id: string): Promise<string | undefined> {
  try {
    await api.delete(tokenSecretPath(id));
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function randomText(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}
