import { X509Certificate } from "node:crypto";
import * as z from "zod";

import { credentials } from "../../host/kubernetes/kubeconfig.ts";
import { firstLineOf } from "../../host/failure.ts";
import { checkedJson } from "../../toolchain/parse-json.ts";
import { kindNodes } from "../host-resources/containers.ts";
import { runningOf } from "../../components/host-resource.ts";
import type { Host } from "../../host/host.ts";
import type { Finding } from "./finding.ts";

/**
 * A certificate that expires within this many days is reported. kubelet renews its own when 10 to 30 % of their year
 * are left, and kubeadm at each upgrade, so by then a renewal was missed.
 */
const nearDays = 30;

const dayMilliseconds = 24 * 60 * 60 * 1000;

export interface Certificate {
  readonly name: string;
  readonly until: Date;
  /** Unknown for those that kubeadm reports. */
  readonly from?: Date;
}

export interface ContainerCertificates {
  readonly container: string;
  /** kubeadm's; a worker has none. */
  readonly controlPlane: readonly Certificate[];
  /** They cannot be renewed in a running cluster. */
  readonly authorities: readonly Certificate[];
  readonly kubelet: readonly Certificate[];
  readonly troubles: readonly string[];
}

/** A missing certificate, such as super-admin.conf on all but the first control plane, has no date. */
const expirationsSchema = z
  .array(z.object({ name: z.string(), expirationDate: z.string().nullish() }))
  .nullish()
  .transform((list) =>
    (list ?? [])
      .map(({ name, expirationDate }) => ({ name, until: new Date(expirationDate ?? "") }))
      .filter(({ until }) => !Number.isNaN(until.getTime())),
  );

const kubeadmSchema = z
  .object({ certificates: expirationsSchema, certificateAuthorities: expirationsSchema })
  .transform((all) => ({
    controlPlane: all.certificates,
    authorities: all.certificateAuthorities,
  }));

export function kubeadmCertificates(
  json: string,
): Pick<ContainerCertificates, "controlPlane" | "authorities"> {
  const instead = "look at it with `kubeadm certs check-expiration -o json` in that container";
  return checkedJson(json, kubeadmSchema, "kubeadm's list of certificates", instead);
}

export function pemCertificate(name: string, pem: string): Certificate {
  const { validFrom, validTo } = new X509Certificate(pem);
  return { name, from: new Date(validFrom), until: new Date(validTo) };
}

export function checkCertificates(
  all: readonly ContainerCertificates[],
  kubeconfig: readonly Certificate[],
  now: Date,
): readonly Finding[] {
  const containers = all
    .filter(({ controlPlane }) => controlPlane.length > 0)
    .map(({ container }) => container);
  const repair = containers[0] && ({ kind: "renew-certificates", containers } as const);
  return [
    ...clockFindings([...kubeconfig, ...all.flatMap(({ kubelet }) => kubelet)], now),
    ...ending(kubeconfig, now, {
      kind: "kubeconfig-expires",
      subject: "",
      remedy:
        "renew the certificates of the control plane, and put the new kubeconfig into the stack's state",
      ...(repair && { repair }),
    }),
    ...all.flatMap(({ container, controlPlane, kubelet, authorities, troubles }) => [
      ...ending(controlPlane, now, {
        kind: "certificates-expire",
        subject: container,
        remedy: `in that container: kubeadm certs renew all --config /kind/kubeadm.conf`,
        ...(repair && { repair }),
      }),
      ...ending(kubelet, now, {
        kind: "kubelet-certificate-expires",
        subject: container,
        remedy: "kubelet renews it by itself as long as it runs and reaches the API server",
        repair: { kind: "renew-kubelet-certificate", container },
      }),
      ...ending(authorities, now, {
        kind: "authorities-expire",
        subject: container,
        remedy: "recreate the lab: kindows down, kindows up",
      }),
      ...troubles.map((trouble): Finding => ({
        kind: "certificates-unreadable",
        subject: container,
        seen: `they cannot be read: ${trouble}`,
        remedy: `open a shell there: docker exec -it ${container} bash`,
      })),
    ]),
  ];
}

function ending(
  certificates: readonly Certificate[],
  now: Date,
  finding: Omit<Finding, "seen">,
): readonly Finding[] {
  const seen = certificates
    .map(({ name, until }) => ({ name, until, left: until.getTime() - now.getTime() }))
    .filter(({ left }) => left < nearDays * dayMilliseconds)
    .sort((one, other) => one.left - other.left)
    .map(({ name, until, left }) => {
      const days = Math.floor(left / dayMilliseconds);
      const when = left <= 0 ? "expired" : `ends in ${days} day${days === 1 ? "" : "s"},`;
      return `${name} ${when} ${until.toISOString().slice(0, 16)}Z`;
    });
  return seen.length === 0 ? [] : [{ ...finding, seen: seen.join("; ") }];
}

/** A certificate from the future was issued by this host while its clock was wrong. */
function clockFindings(certificates: readonly Certificate[], now: Date): readonly Finding[] {
  // kubeadm and kubelet backdate theirs by some minutes.
  const newest = Math.max(...certificates.map(({ from }) => from?.getTime() ?? -Infinity));
  if (newest <= now.getTime()) return [];
  const [says, made] = [now, new Date(newest)].map((each) => `${each.toISOString().slice(0, 16)}Z`);
  const seen = `it says ${says}, before the cluster's certificates were made (${made})`;
  const remedy = "set it: timedatectl set-ntp true";
  return [{ kind: "host-clock-behind", subject: "", seen, remedy }];
}

/** The client certificate in a kubeconfig; none if it has a token, or is invalid. */
export function kubeconfigCertificates(kubeconfig: string | undefined): readonly Certificate[] {
  try {
    const { certificate } = credentials(kubeconfig ?? "");
    return certificate === undefined ? [] : [pemCertificate("its client certificate", certificate)];
  } catch {
    return [];
  }
}

export async function gatherCertificates(
  lab: string,
  host: Host,
): Promise<readonly ContainerCertificates[]> {
  const nodes = runningOf(await kindNodes(host, lab), lab);
  return Promise.all(
    nodes.map(async ({ name: container, role }) => {
      const troubles: string[] = [];
      const read = async <T>(words: readonly string[], parse: (text: string) => T) => {
        try {
          return parse((await host.run("docker", ["exec", container, ...words])) ?? "");
        } catch (error) {
          troubles.push(firstLineOf(error));
          return undefined;
        }
      };
      const [kubeadm, kubelet = []] = await Promise.all([
        role === "control-plane" ? read(checkExpiration, kubeadmCertificates) : undefined,
        read(kubeletCertificate, (pem) => [pemCertificate("it", pem)]),
      ]);
      return { container, controlPlane: [], authorities: [], ...kubeadm, kubelet, troubles };
    }),
  );
}

/** Uses the file that kind wrote: otherwise kubeadm asks the API server, which may not answer. */
const checkExpiration = [
  ...["kubeadm", "certs", "check-expiration", "--output", "json"],
  ...["--config", "/kind/kubeadm.conf"],
];

/** Prints the certificate without the key, which is in the same file. */
const kubeletCertificate = [
  ...["sed", "-n", "/BEGIN CERTIFICATE/,/END CERTIFICATE/p"],
  "/var/lib/kubelet/pki/kubelet-client-current.pem",
];
