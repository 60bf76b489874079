import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findFile, listDisc } from "./disc.ts";
import type { DiscFile, DiscListing } from "./disc.ts";
import { chooseImage } from "./choose-image.ts";
import type { WantedWindows } from "./choose-image.ts";
import { MediaError } from "../../machine/disk/media-program.ts";
import { NotAWim, saveWimIndex } from "./wim-index.ts";
import { readWindowsImages } from "./windows-images.ts";
import type { WindowsImage } from "./windows-images.ts";

/** Paths of Setup's images: a WIM, a smaller ESD, or the first of several parts. */
const imageFiles = ["sources/install.wim", "sources/install.esd", "sources/install.swm"];

/** Files without which such a disc does not boot into Setup with any firmware. */
const setupFiles = ["sources/boot.wim", "bootmgr"];

/** Reading one large file inside the ISO once, also from a slow disk. */
const readTimeoutSeconds = 600;

/**
 * Finds the image to install on an ISO, which must be Windows Server with the wanted edition, build and language. Reads the
 * ISO once and writes next to nothing.
 *
 * @throws MediaError with everything that is wrong with it.
 */
export async function examineWindowsIso(iso: string, wanted: WantedWindows): Promise<WindowsImage> {
  const disc = await listDisc(iso);
  const lacking = setupFiles.filter((file) => findFile(disc, file) === undefined);
  const file = imageFiles.map((name) => findFile(disc, name)).find(Boolean);
  if (file === undefined || lacking.length > 0) {
    const names = [...(file === undefined ? ["sources/install.wim"] : []), ...lacking];
    throw new MediaError([
      {
        subject: iso,
        why: `is not an ISO of Windows Setup: ${names.join(" and ")} is not on it`,
        instead: "Write the path of an ISO of Windows Server.",
      },
    ]);
  }
  const choice = chooseImage(iso, await imagesOn(disc, file), wanted);
  if (choice.image === undefined) {
    throw new MediaError(choice.problems);
  }
  return choice.image;
}

async function imagesOn(disc: DiscListing, file: DiscFile): Promise<WindowsImage[]> {
  const folder = await mkdtemp(path.join(tmpdir(), "kindows-wim-"));
  const index = path.join(folder, "index.wim");
  const reading = spawn("7z", ["e", "-so", "-p", "--", disc.path, file.path], {
    stdio: ["ignore", "pipe", "ignore"],
    timeout: readTimeoutSeconds * 1000,
  });
  const ended = once(reading, "close");
  try {
    await saveWimIndex(reading.stdout as AsyncIterable<Buffer>, file.bytes, index);
    return await readWindowsImages(index);
  } catch (error) {
    if (!(error instanceof NotAWim)) {
      throw error;
    }
    throw new MediaError([
      {
        subject: `${file.path} on ${disc.path}`,
        why: error.message,
        instead: "Download the ISO again.",
      },
    ]);
  } finally {
    reading.kill();
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}
