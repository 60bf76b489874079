import { defaultRequirements } from "../host-requirements.ts";
import type { DiscListing } from "./disc.ts";
import { MediaError } from "../../machine/disk/media-error.ts";

const { minimumBuild, minimumRevision } = defaultRequirements;

/** The first update that has what a node needs, and the one an ISO is given where no other is named. */
export const minimumUpdate = "KB5044281";

/** Which Windows a node needs, with the first update that has it. */
export const neededWindows = `${minimumBuild}.${minimumRevision} (${minimumUpdate}, October 2024) or newer`;

/** What to do where the Windows of an ISO is older. */
export const nameAnUpdate =
  "Name a cumulative update of Microsoft's. First download the newest one for `Microsoft server operating system version 21H2` " +
  "(x64, .msu) from catalog.update.microsoft.com; then write `update: { path: /the/file.msu }` below kindows:windows.image; then run " +
  "this again. Or use a newer ISO: docs/windows-image.md, under An old ISO.";

/** What the update is called on the CD: Microsoft's own names have more characters than Joliet keeps. */
export const updateFile = "update.msu";

/** What an update brings its files in: cabinets, or a WIM with its differences beside it. */
const payload = /\.(cab|wim|psf)$/i;

/** @throws MediaError when an archive is no update. */
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
