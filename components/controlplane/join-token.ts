import { randomInt } from "node:crypto";
import type { V1Secret } from "@kubernetes/client-node";
import { messageOf } from "../../host/failure.ts";
import { waitUntil } from "../../host/wait-until.ts";
import type { ClusterApi } from "../../kubernetes/cluster-api.ts";

/** Group kubeadm lets join as nodes. */
const nodeGroup = "system:bootstrappers:kubeadm:default-node-token";

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Longest wait for the API server, in seconds: it may just have started. */
const apiTimeoutSeconds = 60;

/** A bootstrap token as kubeadm takes it, `<id>.<secret>`: `abcdef.0123456789abcdef`. */
export function newToken(): string {
  return `${randomText(6)}.${randomText(16)}`;
}

/** The part of a token that is no secret. */
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

/** Secret that makes the API server accept a token until `expiration`; its controller removes it after that. */
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
      // RFC 3339 without fractions, as the API server's validation wants it.
      expiration: expiration.toISOString().replace(/\.\d+Z$/, "Z"),
      "usage-bootstrap-authentication": "true",
      "usage-bootstrap-signing": "true",
      "auth-extra-groups": nodeGroup,
    },
  };
}

/** Makes the cluster accept a new token. @param description for people who look at the Secret, e.g. `kindows: join of win-1` */
export function mintToken(
  api: ClusterApi,
  { ttlMinutes, description }: { readonly ttlMinutes: number; readonly description: string },
): Promise<string> {
  const what = "the API server to take a bootstrap token";
  return waitUntil({ what, timeoutSeconds: apiTimeoutSeconds }, async () => {
    const token = newToken();
    const expiration = new Date(Date.now() + ttlMinutes * 60_000);
    await api.post(secrets, tokenSecret(token, expiration, description));
    return { found: token };
  });
}

/** Removes a bootstrap token; one that is gone is fine. @returns why it stays until it expires, if it does */
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
