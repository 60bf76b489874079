import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseAllDocuments } from "yaml";

import { agnhostImage } from "../../components/controlplane/node-image/container-images.ts";
import { projectRoot } from "../../toolchain/project.ts";
import type { Os, SampleRow } from "../rows/row.ts";
import { namespace } from "./names.ts";
import { windowsRelease } from "../cluster/facts.ts";

/** An object of a sample, as far as it is looked at. */
export interface SampleObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: SampleSpec;
}

interface SampleSpec {
  readonly template?: { readonly spec: SamplePod };
}

interface SamplePod {
  readonly os?: { readonly name: string };
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly object[];
  readonly containers: readonly { readonly image: string }[];
  readonly volumes?: readonly { readonly hostPath?: { readonly path: string } }[];
}

/** How a sample is adapted to a cluster. */
export interface Fit {
  readonly os: Os;
  /** Build of the Windows node; only for Windows. */
  readonly windowsBuild?: string;
  /** Image to use instead of agnhost. */
  readonly agnhost: string;
}

/** File of a sample. */
export function sampleFile(look: Exclude<SampleRow["look"], "metrics">): string {
  return path.join(projectRoot, "samples", `${look}.yaml`);
}

/** Objects in a sample's file. @throws if the file is not YAML */
export async function readSample(file: string): Promise<readonly SampleObject[]> {
  return parseAllDocuments(await readFile(file, "utf8")).map((document) => {
    const [error] = document.errors;
    if (error) throw new Error(`${path.basename(file)}: ${error.message}`);
    return document.toJS() as SampleObject;
  });
}

/**
 * A sample for the run's namespace and this cluster: Windows images for the node's build, and the available agnhost. The
 * variant for a Linux node shows that the sample is right even without Windows.
 */
export function fitted(objects: readonly SampleObject[], fit: Fit): readonly SampleObject[] {
  const suffix = fit.os;
  return objects.map((object) => {
    const named = { ...object, metadata: { ...object.metadata, namespace } };
    if (object.kind === "Pod") {
      // Pods of both operating systems are in one namespace.
      const metadata = { ...named.metadata, name: `${object.metadata.name}-${suffix}` };
      return { ...named, metadata, spec: fitPod(object.spec as unknown as SamplePod, fit) };
    }
    const template = object.spec?.template;
    return template === undefined
      ? named
      : {
          ...named,
          spec: { ...object.spec, template: { ...template, spec: fitPod(template.spec, fit) } },
        };
  }) as readonly SampleObject[];
}

function fitPod(pod: SamplePod, { os, windowsBuild, agnhost }: Fit): SamplePod {
  const containers = pod.containers.map((container) => ({
    ...container,
    image: fitImage(container.image, agnhost, windowsBuild),
  }));
  if (pod.os?.name !== "windows") return { ...pod, containers };
  if (os === "linux") {
    return {
      ...pod,
      os: { name: "linux" },
      nodeSelector: { "kubernetes.io/os": "linux" },
      // The only Linux node of a small lab is its control plane.
      tolerations: [{ operator: "Exists" }],
      containers,
      ...(pod.volumes && {
        volumes: pod.volumes.map((volume) =>
          volume.hostPath ? { ...volume, hostPath: { ...volume.hostPath, path: "/etc" } } : volume,
        ),
      }),
    };
  }
  const build = windowsBuild && { "node.kubernetes.io/windows-build": windowsBuild };
  return { ...pod, nodeSelector: { ...pod.nodeSelector, ...build }, containers };
}

function fitImage(image: string, agnhost: string, windowsBuild: string | undefined): string {
  if (image === agnhostImage) return agnhost;
  const base = /^(mcr\.microsoft\.com\/windows\/[a-z]+):ltsc\d+$/.exec(image)?.[1];
  return base === undefined || windowsBuild === undefined
    ? image
    : `${base}:${windowsRelease(windowsBuild)}`;
}
