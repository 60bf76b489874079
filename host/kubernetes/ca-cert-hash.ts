import { X509Certificate, createHash } from "node:crypto";

import { credentials } from "./kubeconfig.ts";

/** Hash of the CA's public key (SubjectPublicKeyInfo, DER), for `kubeadm join --discovery-token-ca-cert-hash`. */
export function caCertHash(kubeconfig: string): string {
  return publicKeyHash(credentials(kubeconfig).ca);
}

/** Uses the first of several certificates, because kubeadm needs only one pinned hash. @throws if it is invalid. */
export function publicKeyHash(pem: string | Buffer): string {
  const publicKey = new X509Certificate(pem).publicKey.export({ type: "spki", format: "der" });
  return `sha256:${createHash("sha256").update(publicKey).digest("hex")}`;
}
