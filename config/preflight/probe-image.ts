import { open } from "node:fs/promises";
import { builtArtifacts } from "../../toolchain/built.ts";
import type { Settings } from "../settings.ts";

/** Whether the disk the machines start from is there; undefined where nothing has to be. */
export type ImageFacts = "there" | "missing" | "unreadable" | "not qcow2" | undefined;

const qcow2Magic = "QFI\xfb";

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

/** Looks at the first bytes of a file. */
async function imageAt(path: string): Promise<ImageFacts> {
  try {
    await using file = await open(path);
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString("latin1") === qcow2Magic ? "there" : "not qcow2";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "missing" : "unreadable";
  }
}
