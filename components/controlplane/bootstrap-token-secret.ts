import { randomInt } from "node:crypto";
import type { V1Secret } from "@kubernetes/client-node";

export interface Token {
  /** 6 of [a-z0-9]; not a secret. */
  readonly id: string;
  /** 16 of [a-z0-9]; the secret. */
  readonly secret: string;
}

/** Group kubeadm lets join as nodes. */
const nodeGroup = "system:bootstrappers:kubeadm:default-node-token";

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";

export function newToken(): Token {
  return { id: randomText(6), secret: randomText(16) };
}

/** Token in the form kubeadm takes it: `abcdef.0123456789abcdef`. */
export function tokenText(token: Token): string {
  return `${token.id}.${token.secret}`;
}

/** The part of a token's text that is no secret. */
export function tokenId(text: string): string {
  return text.slice(0, text.indexOf("."));
}

export function tokenSecretName(id: string): string {
  return `bootstrap-token-${id}`;
}

/** Secret that makes the API server accept a token until `expiration`; its controller removes it after that. */
export function tokenSecret(token: Token, expiration: Date, description: string): V1Secret {
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "bootstrap.kubernetes.io/token",
    metadata: { name: tokenSecretName(token.id), namespace: "kube-system" },
    stringData: {
      description,
      "token-id": token.id,
      "token-secret": token.secret,
      // RFC 3339 without fractions, as the API server's validation wants it.
      expiration: expiration.toISOString().replace(/\.\d+Z$/, "Z"),
      "usage-bootstrap-authentication": "true",
      "usage-bootstrap-signing": "true",
      "auth-extra-groups": nodeGroup,
    },
  };
}

function randomText(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}
