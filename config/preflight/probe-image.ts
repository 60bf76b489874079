import { open } from "node:fs/promises";
import { builtArtifacts } from "../../toolchain/built.ts";
import type { Settings } from "../settings.ts";

/** What the disk the machines start from is, or why it is of no use; undefined where there need not be one. */
export type ImageFacts =
  | {
      /** Size of the disk that a machine sees, in GiB. */
      readonly virtualGiB: number;
    }
  | "missing"
  | "unreadable"
  | "not qcow2"
  | undefined;

const qcow2Magic = "QFI\xfb";

/** Place of the disk's size in the header: https://www.qemu.org/docs/master/interop/qcow2.html#header */
const sizeOffset = 24;
const headerBytes = 32;

/** Looks at the image the settings ask for. */
export async function probeImage(image: Settings["windows"]["image"]): Promise<ImageFacts> {
  switch (image.kind) {
    case "disk":
      return imageAt(image.path);
    case "rehearsal":
      return imageAt(builtRehearsalImage());
    case "evaluation-iso":
      return undefined;
  }
}

/** Path of the rehearsal guest's disk, or none when it was not built. */
function builtRehearsalImage(): string {
  try {
    return builtArtifacts().rehearsalImage?.path ?? "";
  } catch {
    return "";
  }
}

/** Looks at the header of a file. */
async function imageAt(path: string): Promise<ImageFacts> {
  try {
    await using file = await open(path);
    const { buffer } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
    return buffer.toString("latin1", 0, qcow2Magic.length) === qcow2Magic
      ? { virtualGiB: Number(buffer.readBigUInt64BE(sizeOffset)) / 1024 ** 3 }
      : "not qcow2";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "missing" : "unreadable";
  }
}
