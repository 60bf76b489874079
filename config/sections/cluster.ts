import * as z from "zod";
import { localFile } from "../named-file.ts";
import { type Check, type Complaint, repeated } from "../problem.ts";
import { kubernetesVersions } from "../supported.ts";
import { dnsLabel, unnamed } from "../values/dns-name.ts";
import { cidr } from "../values/ip-address.ts";
import { between, text } from "../values/value.ts";
import { oneOfVersions } from "../values/version.ts";
import { apiServer } from "./api-server.ts";
import { kindPatches } from "./kind-patches.ts";

const ranges = { pods: "10.244.0.0/16", services: "10.96.0.0/16" } as const;

const maxTokenMinutes = 120;

const worker = z.strictObject({
  name: text(dnsLabel(30)).meta({
    description: "Last part of the node's name, `kindows-<lab>-<name>`.",
    placeholder: unnamed,
  }),
});

const archive = text(localFile).meta({
  placeholder: (place: number) => `/unnamed-${String(place)}`,
});

export const cluster = z.strictObject({
  kubernetesVersion: text(oneOfVersions("Kubernetes", kubernetesVersions)).default("1.36.4").meta({
    description: "Kubernetes version of the control plane and all nodes, without a leading `v`.",
  }),
  controlPlanes: z.literal([1, 3]).default(1).meta({
    description: "Number of control planes: 1, or 3 behind a load balancer.",
  }),
  workers: z
    .array(worker)
    .default([])
    .meta({ description: "Linux workers, which run as containers on this host." }),
  podCidr: text(cidr(ranges.pods))
    .default(ranges.pods)
    .meta({ description: "IPv4 range of pods. Each node gets a part of it." }),
  serviceCidr: text(cidr(ranges.services))
    .default(ranges.services)
    .meta({ description: "IPv4 range of services." }),
  nodeImage: text(nodeImage).optional().meta({
    description: "kind node image of the control planes and Linux workers, pinned by digest.",
    default:
      "kind's image for `kubernetesVersion`, or an image built on this host if no registry is reachable",
  }),
  imageArchives: z.array(archive).default([]).meta({
    description:
      "Absolute paths of archives of images on this host, as `docker save` writes them, or OCI archives; plain, or compressed with gzip or zstd. Their images are on every Linux node before the first pod that needs them (docs/air-gap.md).",
  }),
  kindPatches: kindPatches.optional().meta({
    description:
      "Parts of kind's own configuration, under kind's names (https://kind.sigs.k8s.io/docs/user/configuration/). A change replaces the cluster.",
  }),
  apiServer: apiServer.optional().meta({
    description:
      "Makes the API server reachable from other computers: `./kindows kubeconfig --remote` prints a kubeconfig for them. A change replaces the cluster.",
  }),
  tokenTtlMinutes: between(1, maxTokenMinutes).default(60).meta({
    description: "Lifetime of a join token. It must be longer than the first boot of a node.",
    unit: "minutes",
  }),
});

export interface ClusterSection {
  readonly cluster: z.output<typeof cluster>;
}

export const archivesOnce: Check<ClusterSection> = {
  reads: ["cluster.imageArchives"],
  run: ({ cluster: { imageArchives } }) =>
    repeated(imageArchives, (path) => path).map(({ index }) => ({
      path: ["cluster", "imageArchives", index],
      why: "is listed twice",
      instead: "Remove one of them.",
    })),
};

export const imageReference =
  /^[a-z0-9]+([._/:-][A-Za-z0-9]+)*(:[\w][\w.-]{0,127})?(@sha256:[a-f0-9]{64})?$/;

/** Tag of node images built on this host. It is a hash of all inputs, so it pins the image like a digest. */
const builtHere = /^kindest\/node:kindows-[a-f0-9]{12,64}$/;

function nodeImage(value: string): Complaint | undefined {
  if (!imageReference.test(value)) {
    return {
      why: "is not an image reference",
      instead:
        "Write NAME:TAG@sha256:DIGEST, with the digest of 64 hex digits from kind's release notes.",
    };
  }
  if (!value.includes("@sha256:") && !builtHere.test(value)) {
    return {
      why: "has no digest, so it could be a different image later",
      instead: `Write ${value}@sha256:DIGEST with the digest from kind's release notes, or leave it out.`,
    };
  }
  return undefined;
}
