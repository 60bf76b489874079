import { chmod, cp, mkdir, rm, symlink } from "node:fs/promises";
import path from "node:path";
import type { RunCommand } from "../../host/command-runner.ts";
import { copyPackages } from "./debian-pieces.ts";
import type { Pieces } from "./debian-pieces.ts";
import { writeImages } from "./oci-archive.ts";
import type { ImageConfig, LayeredImage } from "./oci-archive.ts";

export interface ImageRecipe {
  /** Full reference, e.g. `registry.k8s.io/pause:3.10`. */
  readonly reference: string;
  /** Source of each file, by its path in the image. */
  readonly files: Readonly<Record<string, FileSource>>;
  /** Debian packages whose files are copied into the image. Default: none. */
  readonly pieces?: Pieces;
  readonly config: ImageConfig;
}

/**
 * Source of a file in an image: a file on this host or in a Debian root file system, or a link to another file in the
 * image.
 */
type FileSource =
  { readonly host: string } | { readonly root: string } | { readonly linkTo: string };

/** Collects an image's files below `folder` and packs them as its layer. */
export async function packImage(
  run: RunCommand,
  root: string,
  recipe: ImageRecipe,
  folder: string,
): Promise<LayeredImage> {
  if (recipe.pieces) await copyPackages(run, root, recipe.pieces, folder);
  for (const [target, source] of Object.entries(recipe.files)) {
    const file = path.join(folder, target);
    await mkdir(path.dirname(file), { recursive: true });
    if ("linkTo" in source) {
      await symlink(source.linkTo, file);
      continue;
    }
    await cp("host" in source ? source.host : path.join(root, source.root), file);
    await chmod(file, 0o755);
  }
  const { reference, config } = recipe;
  return { reference, layer: await packLayer(run, folder), config };
}

/** Packs a folder as an image layer, as a reproducible tar file beside it. */
export async function packLayer(run: RunCommand, folder: string): Promise<string> {
  const layer = `${folder}.tar`;
  await run("tar", [
    ...["--sort=name", "--mtime=@0", "--numeric-owner", "--format=posix", "--xattrs"],
    "--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime",
    ...["-C", folder, "-cf", layer, "."],
  ]);
  return layer;
}

/** Packs images as one archive for containerd and Docker. The archive is written beside `folder`, which is removed. */
export async function packArchive(
  run: RunCommand,
  images: readonly LayeredImage[],
  folder: string,
): Promise<string> {
  await writeImages(folder, images);
  await run("tar", ["-C", folder, "-cf", `${folder}.tar`, "."]);
  await rm(folder, { recursive: true });
  return `${folder}.tar`;
}
