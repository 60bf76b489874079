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
  /** Of a pod, or of something that makes pods. */
  readonly spec?: Partial<SamplePod> & { readonly template?: { readonly spec: SamplePod } };
}

interface SamplePod {
  readonly os?: { readonly name: string };
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly object[];
  readonly containers: readonly { readonly image: string }[];
  readonly volumes?: readonly { readonly hostPath?: { readonly path: string } }[];
}

export interface Fit {
  readonly os: Os;
  readonly windowsBuild?: string;
  readonly agnhost: string;
}

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
  return objects.map((object): SampleObject => {
    const { kind, spec } = object;
    const metadata = { ...object.metadata, namespace };
    if (kind === "Pod") {
      // Pods of both operating systems are in one namespace.
      const name = `${metadata.name}-${fit.os}`;
      return {
        ...object,
        metadata: { ...metadata, name },
        spec: fitPod(spec as SamplePod, fit),
      };
    }
    const { template } = spec ?? {};
    if (template === undefined) return { ...object, metadata };
    const fittedTemplate = { ...template, spec: fitPod(template.spec, fit) };
    return { ...object, metadata, spec: { ...spec, template: fittedTemplate } };
  });
}

function fitPod(pod: SamplePod, { os, windowsBuild, agnhost }: Fit): SamplePod {
  const containers = pod.containers.map((container) => ({
    ...container,
    image: fitImage(container.image, agnhost, windowsBuild),
  }));
  if (pod.os?.name !== "windows") return { ...pod, containers };
  if (os === "windows") {
    const build = windowsBuild && { "node.kubernetes.io/windows-build": windowsBuild };
    return { ...pod, nodeSelector: { ...pod.nodeSelector, ...build }, containers };
  }
  const volumes = pod.volumes?.map((volume) =>
    volume.hostPath ? { ...volume, hostPath: { ...volume.hostPath, path: "/etc" } } : volume,
  );
  return {
    ...pod,
    containers,
    os: { name: "linux" },
    nodeSelector: { "kubernetes.io/os": "linux" },
    // The only Linux node of a small lab is its control plane.
    tolerations: [{ operator: "Exists" }],
    ...(volumes && { volumes }),
  };
}

function fitImage(image: string, agnhost: string, windowsBuild: string | undefined): string {
  if (image === agnhostImage) return agnhost;
  const base = /^(mcr\.microsoft\.com\/windows\/[a-z]+):ltsc\d+$/.exec(image)?.[1];
  return base === undefined || windowsBuild === undefined
    ? image
    : `${base}:${windowsRelease(windowsBuild)}`;
}
