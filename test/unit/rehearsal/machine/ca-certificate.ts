import { join } from "node:path";
import { examineCertificates } from "../../../../components/node/ca-certificates.ts";

const files = ["ca-rsa.pem", "localhost-ec.pem"].map((name) =>
  join(import.meta.dirname, "../../controlplane/fixtures", name),
);

/** Two certificates of CAs. */
export const [caCertificate, otherCertificate] = examineCertificates([...files.entries()])
  .certificates as [{ sha1: string; der: string }, { sha1: string; der: string }];
