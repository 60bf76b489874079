import * as z from "zod";
import { podNetworks } from "../../components/cni/pod-networks.ts";
import type { PodNetworkProgram } from "../../components/cni/programs.ts";
import type { PublishedProgram } from "../../components/cni/published-program.ts";
import { sha256 } from "../named-file.ts";
import { type Check, unless } from "../problem.ts";
import { text } from "../values/value.ts";
import type { NodesSection } from "./nodes.ts";
import { type ImageSourceName, imageSource } from "../image-sources.ts";

const checksum = (file: string): z.ZodOptional<z.ZodString> =>
  text(sha256)
    .optional()
    .meta({
      description: `SHA-256 of ${file}, in lower case.`,
      default: "the one for its version in `software.lock.json`",
    });

const podNetworkChecksums = Object.fromEntries(
  Object.entries(podNetworks).flatMap(([kind, { programs }]) =>
    Object.entries<PublishedProgram>(programs).map(([name, { file }]) => [
      name,
      checksum(`\`${file}\` (only if \`cni.kind\` is \`${kind}\`)`),
    ]),
  ),
) as Readonly<Record<PodNetworkProgram, ReturnType<typeof checksum>>>;

const files = z.strictObject({
  containerd: checksum("`containerd-VERSION-windows-amd64.tar.gz`"),
  kubelet: checksum("`kubelet.exe`"),
  kubeadm: checksum("`kubeadm.exe`"),
  kubeLogRunner: checksum("`kube-log-runner.exe`"),
  crictl: checksum("`crictl-vVERSION-windows-amd64.tar.gz`"),
  ...podNetworkChecksums,
});

/** Checksums of the programs on Windows nodes. */
export const checksums = files.prefault({}).meta({
  description:
    "Checksums of the programs that are installed on the nodes. For a program without one, `./kindows fetch` uses the checksum that its publisher gives.",
});

interface ChecksumsSection extends NodesSection {
  readonly windows: {
    readonly checksums: z.output<typeof files>;
    readonly image: { readonly kind: ImageSourceName };
  };
  readonly cni: { readonly kind: keyof typeof podNetworks };
}

export const rehearsalChecksums: Check<ChecksumsSection> = {
  reads: ["windows.checksums", "windows.image.kind"],
  run: ({ windows, nodes }) =>
    // Machines that are there get their programs over SSH.
    !imageSource({ windows }).carriesPrograms || nodes.some(({ ssh }) => ssh !== undefined)
      ? []
      : Object.keys(windows.checksums).map((name) => ({
          path: ["windows", "checksums", name],
          why: "has no effect: the rehearsal image contains its programs and their checksums",
          instead: "Leave it out.",
        })),
};

/** Refuses checksums of another pod network's programs, because they are not installed. */
export const checksumsUsed: Check<ChecksumsSection> = {
  reads: ["windows.checksums", "windows.image.kind", "cni.kind"],
  run: ({ windows, cni }) =>
    imageSource({ windows }).carriesPrograms
      ? []
      : Object.entries(podNetworks)
          .flatMap(([kind, { programs }]) => Object.keys(programs).map((name) => ({ kind, name })))
          .flatMap(({ kind, name }) => {
            const value = Object.entries(windows.checksums).find(([key]) => key === name)?.[1];
            return unless(value === undefined || name in podNetworks[cni.kind].programs, {
              path: ["windows", "checksums", name],
              why: `has no effect: kindows:cni.kind is ${cni.kind}`,
              instead: `Leave it out, or write ${kind} for kindows:cni.kind.`,
            });
          }),
};
