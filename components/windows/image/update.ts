import { defaultRequirements } from "../host-requirements.ts";
import type { DiscListing } from "./disc.ts";
import { MediaError } from "../../machine/disk/media-program.ts";

const { minimumBuild, minimumRevision } = defaultRequirements;

/** The first update that is sufficient for a node, and the default for an ISO. */
export const minimumUpdate = "KB5044281";

/** The Windows build that a node needs, with the first update that has it. */
export const neededWindows = `${minimumBuild}.${minimumRevision} (${minimumUpdate}, October 2024) or newer`;

/** Remedy if the Windows of an ISO is older. */
export const nameAnUpdate =
  "Name a cumulative update of Microsoft's. First download the newest one for `Microsoft server operating system version 21H2` " +
  "(x64, .msu) from catalog.update.microsoft.com; then write `update: { path: /the/file.msu }` below kindows:windows.image; then run " +
  "this again. Or use a newer ISO: docs/windows-image.md, under An old ISO.";

/** Name of the update on the CD, as Microsoft's own names are too long for Joliet. */
export const updateFile = "update.msu";

/** Archives in an update: cabinets, or a WIM with a file of differences. */
const payload = /\.(cab|wim|psf)$/i;

/** @throws MediaError if an archive is no update. */
export function checkUpdate(archive: DiscListing): void {
  if (!archive.files.some(({ path }) => payload.test(path))) {
    throw new MediaError([
      {
        subject: archive.path,
        why: "is no update: nothing in it is a cabinet or a WIM",
        instead:
          "Write the path of an .msu, as Microsoft's Update Catalog has it, not of what was unpacked from one.",
      },
    ]);
  }
}
