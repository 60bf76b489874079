import { X509Certificate, createHash } from "node:crypto";

import { credentials } from "./kubeconfig.ts";

/** As `kubeadm join --discovery-token-ca-cert-hash` takes it: of the CA's public key in DER form (SubjectPublicKeyInfo). */
export function caCertHash(kubeconfig: string): string {
  return publicKeyHash(credentials(kubeconfig).ca);
}

/** Of several certificates the first is used, as kubeadm needs only one that is pinned. @throws if it is invalid. */
export function publicKeyHash(pem: string | Buffer): string {
  const publicKey = new X509Certificate(pem).publicKey.export({ type: "spki", format: "der" });
  return `sha256:${createHash("sha256").update(publicKey).digest("hex")}`;
}
