import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { create } from "tar";
import { newFolder } from "../new-folder.ts";

export const sha256 = (content: string | Buffer): string =>
  createHash("sha256").update(content).digest("hex");

/** Files by their names; a name in `linkTo` makes a symbolic link. */
export type Files = Record<string, string | Buffer | { readonly linkTo: string }>;

/** A layer's content, which is a tar archive in real images, but which nothing here unpacks. */
export const layerOf = (name: string): string => `layer of ${name}\n`.repeat(50);

export interface Image {
  readonly names?: readonly string[];
  readonly os?: string;
  readonly architecture?: string;
  readonly osVersion?: string;
  readonly layer?: string | Buffer;
  /** SHA-256 of the uncompressed layer, if that differs. */
  readonly diff?: string;
}

export const here = process.arch === "x64" ? "amd64" : process.arch;

const config = (
  { os = "linux", architecture = here, osVersion }: Image,
  layers: readonly string[],
): string =>
  JSON.stringify({
    ...{ os, architecture, "os.version": osVersion },
    rootfs: { type: "layers", diff_ids: layers },
  });

/** The files that `docker save` wrote before Docker 25. */
export function dockerFiles(images: readonly Image[]): Files {
  const files: Files = {};
  const manifest = images.map((image, number) => {
    const layer = image.layer ?? layerOf(String(number));
    const document = config(image, [`sha256:${image.diff ?? sha256(layer)}`]);
    const Config = `${sha256(document)}.json`;
    const Layer = `${sha256(`${number}`)}/layer.tar`;
    Object.assign(files, { [Config]: document, [Layer]: layer });
    return { Config, RepoTags: image.names ?? null, Layers: [Layer] };
  });
  return { ...files, "manifest.json": JSON.stringify(manifest) };
}

export interface OciImage extends Image {
  /** Annotations instead of containerd's name. */
  readonly annotations?: object;
  /** Other platforms that the image's index names. */
  readonly others?: readonly object[];
}

/** The files of an OCI archive. */
export function ociFiles(images: readonly OciImage[]): Files {
  const files: Files = {};
  const blob = (content: string | Buffer | object, kind: string) => {
    const isDocument = typeof content === "object" && !Buffer.isBuffer(content);
    const mediaType = `application/vnd.oci.image.${kind}`;
    const bytes = isDocument
      ? JSON.stringify({ schemaVersion: 2, mediaType, ...content })
      : content;
    files[`blobs/sha256/${sha256(bytes)}`] = bytes;
    return { mediaType, digest: `sha256:${sha256(bytes)}`, size: bytes.length };
  };
  const manifests = images.map((image, number) => {
    const { names = [], others, annotations = { "io.containerd.image.name": names[0] } } = image;
    const layer = blob(image.layer ?? layerOf(String(number)), "layer.v1.tar");
    const configured = blob(config(image, [layer.digest]), "config.v1+json");
    const manifest = blob({ config: configured, layers: [layer] }, "manifest.v1+json");
    const platform = { os: image.os ?? "linux", architecture: image.architecture ?? here };
    const top =
      others === undefined
        ? manifest
        : blob({ manifests: [...others, { ...manifest, platform }] }, "index.v1+json");
    return { ...top, annotations };
  });
  return {
    ...files,
    "oci-layout": JSON.stringify({ imageLayoutVersion: "1.0.0" }),
    "index.json": JSON.stringify({ schemaVersion: 2, manifests }),
  };
}

/** Writes an archive and returns its path. */
export async function archiveOf(
  files: Files,
  compress?: "gzip" | "zstd",
  file = path.join(newFolder(), "images.tar"),
): Promise<string> {
  const folder = newFolder();
  for (const [name, content] of Object.entries(files)) {
    const target = path.join(folder, name);
    mkdirSync(path.dirname(target), { recursive: true });
    if (typeof content === "object" && "linkTo" in content) symlinkSync(content.linkTo, target);
    else writeFileSync(target, content);
  }
  await create({ cwd: folder, file, portable: true }, ["."]);
  const plain = readFileSync(file);
  if (compress === "gzip") writeFileSync(file, gzipSync(plain));
  if (compress === "zstd") writeFileSync(file, zstdCompressSync(plain));
  return file;
}
