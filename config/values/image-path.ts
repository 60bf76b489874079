import { isAbsolute } from "node:path";
import type { Complaint } from "../problem.ts";

/** Path of a disk image on this host. */
export function imagePath(value: string): Complaint | undefined {
  if (/\.(iso|vmdk|raw|img)$/i.test(value)) {
    return {
      why: "is neither a qcow2 image nor VHD or VHDX by its name",
      instead:
        "Convert it (qemu-img convert -O qcow2) and write the path of the result, from / on; an ISO has `kind: iso`.",
    };
  }
  if (!isAbsolute(value)) {
    return {
      why: "is not an absolute path, so what it means would depend on where the command is started",
      instead: "Write the path from / on, e.g. /var/lib/kindows/windows-2022.qcow2.",
    };
  }
  return undefined;
}
