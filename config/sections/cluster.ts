import * as z from "zod";
import { localFile } from "../named-file.ts";
import { type Check, type Complaint, repeated, unless } from "../problem.ts";
import { defaultKubernetes, isWithin, kubernetesLimits, nodeImages } from "../../host/versions.ts";
import { dnsLabel, unnamed } from "../values/dns-name.ts";
import { cidr } from "../values/ip-address.ts";
import { between, text } from "../values/value.ts";
import { nearestVersion } from "../values/version.ts";
import { apiServer } from "./api-server.ts";
import { kindPatches } from "./kind-patches.ts";

const ranges = { pods: "10.244.0.0/16", services: "10.96.0.0/16" } as const;

const maxTokenMinutes = 120;

/** Kubernetes versions of which kind has published an image. */
const known = Object.keys(nodeImages);

function kubernetesVersion(value: string): Complaint | undefined {
  const instead = `Write "${nearestVersion(value, known)}".`;
  if (!/^\d+\.\d+\.\d+$/.test(value)) {
    return value.startsWith("v") && known.includes(value.slice(1))
      ? { why: "has a leading v", instead: `Write "${value.slice(1)}".` }
      : {
          why: `is not a Kubernetes version of three numbers (known here: ${known.join(", ")})`,
          instead,
        };
  }
  const limit = [kubernetesLimits.kubeadm, kubernetesLimits.kind].find(
    (each) => !value.startsWith("1.") || !isWithin(value, each),
  );
  return limit && { why: limit.why, instead };
}

const worker = z.strictObject({
  name: text(dnsLabel(30)).meta({
    description: "Last part of the node's name, `kindows-<lab>-<name>`.",
    placeholder: unnamed,
  }),
});

const archive = text(localFile).meta({
  placeholder: (index: number) => `/unnamed-${String(index)}`,
});

export const cluster = z.strictObject({
  kubernetesVersion: text(kubernetesVersion)
    .default(defaultKubernetes)
    .meta({
      description: `Kubernetes version of the control plane and all nodes, without a leading \`v\`: ${known.join(", ")}, or with \`nodeImage\` any other of ${kubernetesLimits.kubeadm.least} to ${kubernetesLimits.kind.most}. A change replaces the cluster.`,
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
    description:
      "kind node image of the control planes and Linux workers, of `kubernetesVersion`. Name its digest: without one, no preview can see that it has changed.",
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

interface ClusterSection {
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

function nodeImage(value: string): Complaint | undefined {
  return imageReference.test(value)
    ? undefined
    : {
        why: "is not an image reference",
        instead:
          "Write NAME:TAG@sha256:DIGEST, with the digest of 64 hex digits from kind's release notes.",
      };
}

/** A version without a published image needs one of the user's; one with a tag of another version is a mistake. */
export const imageOfVersion: Check<ClusterSection> = {
  reads: ["cluster.kubernetesVersion", "cluster.nodeImage"],
  run: ({ cluster: { kubernetesVersion, nodeImage } }) => {
    const [, tagged] = /:v(\d+\.\d+\.\d+)(@|$)/.exec(nodeImage ?? "") ?? [];
    return [
      ...unless(nodeImage !== undefined || known.includes(kubernetesVersion), {
        path: ["cluster", "kubernetesVersion"],
        why: `has no image of kind 0.33's (they are of ${known.join(", ")})`,
        instead: `Write "${nearestVersion(kubernetesVersion, known)}", or an image of this version for kindows:cluster.nodeImage.`,
      }),
      ...unless(tagged === undefined || tagged === kubernetesVersion, {
        path: ["cluster", "nodeImage"],
        why: `is of Kubernetes ${tagged ?? ""} by its tag, and kindows:cluster.kubernetesVersion is ${kubernetesVersion}`,
        instead: "Write the same version in both.",
      }),
    ];
  },
};
