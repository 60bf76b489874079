import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseAllDocuments } from "yaml";

import { agnhostImage } from "../../images/node/container-images.ts";
import { projectRoot } from "../../toolchain/project.ts";
import type { SampleRow } from "../rows/row.ts";
import { namespace } from "./names.ts";
import { windowsReleases } from "../cluster/facts.ts";
import type { Os } from "./names.ts";

/** The used fields of a sample's object. */
export interface SampleObject {
  readonly kind: string;
  readonly metadata: { name: string; namespace?: string };
  /** Spec of a pod, or of an object with a pod template. */
  readonly spec?: Partial<SamplePod> & { readonly template?: { readonly spec: SamplePod } };
}

interface SamplePod {
  readonly os?: { name: string };
  nodeSelector?: Readonly<Record<string, string>>;
  tolerations?: readonly object[];
  readonly containers: readonly { image: string }[];
  readonly volumes?: readonly { readonly hostPath?: { path: string } }[];
}

interface Fit {
  readonly os: Os;
  readonly windowsBuild?: string | undefined;
  readonly agnhost: string;
}

/** Objects of a row's sample. @throws if its file is not YAML. */
export async function readSample(look: SampleRow["look"]): Promise<readonly SampleObject[]> {
  // The row `metrics` measures the pod of the sample `settings`.
  const file = path.join(
    projectRoot,
    "examples/applications",
    `${look === "metrics" ? "settings" : look}.yaml`,
  );
  return parseAllDocuments(await readFile(file, "utf8")).map((document) => {
    const [error] = document.errors;
    if (error) throw new Error(`${path.basename(file)}: ${error.message}`);
    return document.toJS() as SampleObject;
  });
}

/**
 * Adapts a sample to the run's namespace and this cluster, with Windows images for the node's build and the available
 * agnhost. The variant for a Linux node shows that the sample itself is correct.
 */
export function fitted(objects: readonly SampleObject[], fit: Fit): readonly SampleObject[] {
  return objects.map((original) => {
    const object = structuredClone(original);
    const { kind, metadata, spec } = object;
    metadata.namespace = namespace;
    // Pods of both operating systems are in one namespace.
    if (kind === "Pod") metadata.name += `-${fit.os}`;
    const pod = kind === "Pod" ? spec : spec?.template?.spec;
    if (pod !== undefined) fitPod(pod as SamplePod, fit);
    return object;
  });
}

function fitPod(pod: SamplePod, { os, windowsBuild, agnhost }: Fit): void {
  for (const container of pod.containers) {
    container.image = fitImage(container.image, agnhost, windowsBuild);
  }
  if (pod.os?.name !== "windows") return;
  if (os === "windows") {
    const build = windowsBuild && { "node.kubernetes.io/windows-build": windowsBuild };
    pod.nodeSelector = { ...pod.nodeSelector, ...build };
    return;
  }
  pod.os.name = "linux";
  pod.nodeSelector = { "kubernetes.io/os": "linux" };
  // The only Linux node of a small lab is its control plane.
  pod.tolerations = [{ operator: "Exists" }];
  for (const { hostPath } of pod.volumes ?? []) if (hostPath) hostPath.path = "/etc";
}

function fitImage(image: string, agnhost: string, windowsBuild: string | undefined): string {
  if (image === agnhostImage) return agnhost;
  const base = /^(mcr\.microsoft\.com\/windows\/[a-z]+):ltsc\d+$/.exec(image)?.[1];
  const release = windowsReleases[windowsBuild ?? ""];
  return base && release ? `${base}:${release}` : image;
}
