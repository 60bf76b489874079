import { chmod, cp, mkdir, rm, symlink } from "node:fs/promises";
import path from "node:path";
import type { RunCommand } from "../../../host/command-runner.ts";
import { copyPackages } from "./debian-pieces.ts";
import type { Pieces } from "./debian-pieces.ts";
import { writeImages } from "./oci-archive.ts";
import type { ImageConfig, LayeredImage } from "./oci-archive.ts";

export interface ImageRecipe {
  /** Reference under which it is asked for. */
  readonly reference: string;
  /** Files by their path in the image; where each comes from. */
  readonly files: Readonly<Record<string, FileSource>>;
  /** Debian packages whose files it has. Default: none, only the files above. */
  readonly pieces?: Pieces;
  readonly config: ImageConfig;
}

/** Where a file of an image comes from: this host, a Debian root file system, or a link to another file in it. */
export type FileSource =
  { readonly host: string } | { readonly root: string } | { readonly linkTo: string };

/** Puts an image's files together below `folder` and packs them as its layer. */
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

/** Packs a folder as an image layer beside it; the same content gives the same bytes. */
export async function packLayer(run: RunCommand, folder: string): Promise<string> {
  const layer = `${folder}.tar`;
  await run("tar", [
    ...["--sort=name", "--mtime=@0", "--numeric-owner", "--format=posix", "--xattrs"],
    "--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime",
    ...["-C", folder, "-cf", layer, "."],
  ]);
  return layer;
}

/** Packs images as one archive that containerd and Docker load, beside `folder`, which is removed. */
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
