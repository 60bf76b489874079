import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";

/** How containers of an image are started. */
export interface ImageConfig {
  readonly entrypoint?: readonly string[];
  /** `NAME=value` pairs. */
  readonly environment?: readonly string[];
  /** Signal that stops a container, e.g. `SIGRTMIN+3`. Default: SIGTERM. */
  readonly stopSignal?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface LayeredImage {
  /** Full reference, e.g. `registry.k8s.io/pause:3.10`. */
  readonly reference: string;
  /** Path of an uncompressed tar file, which is moved into the archive. */
  readonly layer: string;
  readonly config: ImageConfig;
}

interface Blob {
  readonly digest: string;
  readonly size: number;
}

const created = "1970-01-01T00:00:00Z";

/**
 * Writes images into `folder`, in a layout that is valid both as an OCI image layout (for containerd) and as the output
 * of `docker save` (for Docker).
 *
 * Layers stay uncompressed, because they are unpacked on the same machine, where time matters more than space.
 */
export async function writeImages(folder: string, images: readonly LayeredImage[]): Promise<void> {
  const blobs = path.join(folder, "blobs", "sha256");
  await mkdir(blobs, { recursive: true });
  const index: object[] = [];
  const dockerManifest: object[] = [];
  for (const image of images) {
    const layer = await adopt(blobs, image.layer);
    const config = await store(blobs, configDocument(image.config, layer.digest));
    const manifest = await store(blobs, {
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: { mediaType: "application/vnd.oci.image.config.v1+json", ...config },
      layers: [{ mediaType: "application/vnd.oci.image.layer.v1.tar", ...layer }],
    });
    index.push({
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      ...manifest,
      annotations: { "io.containerd.image.name": image.reference },
    });
    dockerManifest.push({
      Config: blobPath(config),
      RepoTags: [image.reference],
      Layers: [blobPath(layer)],
    });
  }
  const write = (name: string, content: object): Promise<void> =>
    writeFile(path.join(folder, name), JSON.stringify(content));
  await write("oci-layout", { imageLayoutVersion: "1.0.0" });
  await write("index.json", { schemaVersion: 2, manifests: index });
  await write("manifest.json", dockerManifest);
}

/** The image's configuration, in the form that Docker and OCI share. */
export function configDocument(config: ImageConfig, layerDigest: string): object {
  return {
    created,
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    os: "linux",
    config: {
      ...(config.entrypoint && { Entrypoint: config.entrypoint }),
      ...(config.environment && { Env: config.environment }),
      ...(config.stopSignal && { StopSignal: config.stopSignal }),
      ...(config.labels && { Labels: config.labels }),
    },
    rootfs: { type: "layers", diff_ids: [layerDigest] },
    history: [{ created, created_by: "kindows" }],
  };
}

function blobPath(blob: Blob): string {
  return `blobs/${blob.digest.replace(":", "/")}`;
}

async function store(blobs: string, document: object): Promise<Blob> {
  const text = JSON.stringify(document);
  const hex = createHash("sha256").update(text).digest("hex");
  await writeFile(path.join(blobs, hex), text);
  return { digest: `sha256:${hex}`, size: Buffer.byteLength(text) };
}

async function adopt(blobs: string, file: string): Promise<Blob> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), hash);
  const hex = hash.digest("hex");
  const { size } = await stat(file);
  await rename(file, path.join(blobs, hex));
  return { digest: `sha256:${hex}`, size };
}
