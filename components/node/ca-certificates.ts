import { X509Certificate } from "node:crypto";
import * as z from "zod";
import type { Complaint, SettingsProblem } from "../../config/problem.ts";
import { contentOf } from "../windows/program-file.ts";

export const caCertificateSchema = z.object({
  /** SHA-1 of the certificate, in upper case: Windows' name for it. */
  sha1: z.string(),
  /** The certificate's bytes in base64. */
  der: z.string(),
});

/** A certificate that machines trust. Not secret. */
export type CaCertificate = z.infer<typeof caCertificateSchema>;

/** The certificates as PEM, in their order; empty for none. */
export function pemOf(certificates: readonly CaCertificate[]): string {
  const block = ({ der }: CaCertificate): string =>
    ["-----BEGIN CERTIFICATE-----", ...(der.match(/.{1,64}/g) ?? []), "-----END CERTIFICATE-----"]
      .map((line) => `${line}\n`)
      .join("");
  return certificates.map(block).join("");
}

/** Reads the files that the settings name. @param written the settings `caCertificates`, without malformed entries. */
export function examineCertificates(
  written: readonly (readonly [index: number, path: string])[],
  now = new Date(),
): {
  readonly certificates: readonly CaCertificate[];
  readonly problems: readonly SettingsProblem[];
} {
  const found = new Map<string, CaCertificate>();
  const problems: SettingsProblem[] = [];
  for (const [index, file] of written) {
    const examined = examineFile(file, now);
    if ("why" in examined) {
      problems.push({ path: ["caCertificates", index], value: file, ...examined });
    } else {
      for (const each of examined) found.set(each.sha1, each);
    }
  }
  return { certificates: [...found.values()], problems };
}

function examineFile(file: string, now: Date): readonly CaCertificate[] | Complaint {
  const content = contentOf(file, "Write the path of a certificate that you can read.");
  if (!Buffer.isBuffer(content)) return content;
  const text = content.toString("latin1");
  if (text.includes("PRIVATE KEY-----")) {
    return {
      why: "has a private key in it, which no machine may get",
      instead: "Write the path of a file with the certificate alone.",
    };
  }
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g);
  const certificates: CaCertificate[] = [];
  for (const each of blocks ?? [content]) {
    const certificate = parsed(each);
    if (certificate === undefined) {
      return {
        why: "is not a certificate in PEM or DER",
        instead:
          "Convert it: openssl x509 -in FILE -out CA.pem; from PKCS #7, openssl pkcs7 -in FILE -print_certs -out CA.pem.",
      };
    }
    const complaint = complaintOf(certificate, now);
    if (complaint !== undefined) return complaint;
    certificates.push({
      sha1: certificate.fingerprint.replaceAll(":", ""),
      der: certificate.raw.toString("base64"),
    });
  }
  return certificates;
}

function parsed(content: string | Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(content);
  } catch {
    return undefined;
  }
}

function complaintOf(certificate: X509Certificate, now: Date): Complaint | undefined {
  const subject = certificate.subject.replaceAll("\n", ", ");
  if (!certificate.ca && !certificate.checkIssued(certificate)) {
    return {
      why: `has the certificate of ${subject}, which is no CA: nothing that it signs would be trusted`,
      instead: "Write the path of the certificate of the CA that has signed it.",
    };
  }
  return certificate.validToDate < now
    ? {
        why: `has the certificate of ${subject}, which has expired on ${certificate.validToDate.toISOString().slice(0, 10)}`,
        instead: "Write the path of the CA's current certificate.",
      }
    : undefined;
}
