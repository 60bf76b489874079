import { X509Certificate, createHash } from "node:crypto";

import { credentials } from "./kubeconfig.ts";

/**
 * `sha256:<hex>` of the cluster CA's public key in DER form (SubjectPublicKeyInfo), as `kubeadm join
 * --discovery-token-ca-cert-hash` takes it.
 */
export function caCertHash(kubeconfig: string): string {
  const certificate = new X509Certificate(credentials(kubeconfig).ca);
  const publicKey = certificate.publicKey.export({ type: "spki", format: "der" });
  return `sha256:${createHash("sha256").update(publicKey).digest("hex")}`;
}
