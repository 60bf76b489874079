import { downloadText } from "../../toolchain/download.ts";
import type { SoftwareLock } from "../../toolchain/software-lock.ts";
import { defaultRequirements } from "../../components/windows/host-requirements.ts";
import type { PinnedFile } from "../../components/windows/download-artifact.ts";

const { minimumBuild, minimumRevision } = defaultRequirements;

/** The first update that is new enough for a node, and the default for an ISO that is too old. */
export const minimumUpdate = "KB5044281";

/** Describes the Windows build that a node needs, with the first update that has it. */
export const neededWindows = `${minimumBuild}.${minimumRevision} (${minimumUpdate}, October 2024) or newer`;

/** Remedy if an ISO's Windows is older. */
export const nameAnUpdate =
  "Add one of Microsoft's cumulative updates. First download the newest one for `Microsoft server operating system version 21H2` " +
  "(x64, .msu) from catalog.update.microsoft.com; then write `update: { path: /the/file.msu }` below kindows:windows.image; then run " +
  "this again. Or use a newer ISO: docs/windows-image.md, under An old ISO.";

export const updateCatalogue = "https://www.catalog.update.microsoft.com";

/** Titles of Windows Server 2022's cumulative updates. Those of .NET do not match. */
const wantedTitle = /^\S+ Cumulative Update for Microsoft server operating system.* 21H2 for x64/;

/** Matches a row of the results: the update's id and its title. */
const row = /<a\b[^>]*\bid=['"]([0-9a-f-]{36})_link['"][^>]*>([^<]*)<\/a>/gi;

/** Matches the update's files in the dialog, e.g. `downloadInformation[0].files[0].url = '...';`. */
const property = /\.files\[(\d+)\]\.(url|sha256)\s*=\s*'([^']*)'/g;

/** Hosts from which updates are downloaded. Other URLs on the page are ignored. */
const publisher = /^https:\/\/([a-z0-9-]+\.)+(windowsupdate|microsoft)\.com\/[^?#]+\.msu$/;

/** URL of an update in the catalogue. The lock has it as the source of the update's checksum. */
export function catalogueSearch(kb: string, site = updateCatalogue): string {
  return `${site}/Search.aspx?q=${kb}`;
}

/** The update, if it was found in the catalogue before. */
export function lockedUpdate(kb: string, lock: SoftwareLock): PinnedFile | undefined {
  const found = Object.entries(lock).find(([, entry]) => entry.takenFrom === catalogueSearch(kb));
  return found && { uri: found[0], sha256: found[1].sha256 };
}

/**
 * Finds a cumulative update of Windows Server 2022 by its number. The catalogue has no API, so this parses its web
 * pages.
 *
 * @throws if the catalogue cannot be reached, its pages have another format, or it does not have exactly one such
 * update.
 */
export async function findInCatalogue(kb: string, site = updateCatalogue): Promise<PinnedFile> {
  const results = await downloadText(catalogueSearch(kb, site));
  const updates = [...results.matchAll(row)].map(([, id = "", title = ""]) => ({
    id,
    title: title.trim(),
  }));
  const wanted = updates.filter(
    ({ title }) => wantedTitle.test(title) && title.includes(`(${kb})`),
  );
  const [update, another] = wanted;
  if (update === undefined || another !== undefined) {
    const found = updates.map(({ title }) => title).join("; ") || "nothing";
    throw new Error(
      `it lists ${wanted.length} such updates of Windows Server 2022 for x64 instead of one. Its results: ${found}`,
    );
  }
  const { id } = update;
  const dialog = await downloadText(`${site}/DownloadDialog.aspx`, {
    updateIDs: JSON.stringify([{ size: 0, updateID: id, uidInfo: id }]),
  });
  return fileIn(dialog, kb);
}

function fileIn(dialog: string, kb: string): PinnedFile {
  const files: Record<string, Record<string, string>> = {};
  for (const [, index = "", name = "", value = ""] of dialog.matchAll(property)) {
    (files[index] ??= {})[name] = value;
  }
  for (const { url = "", sha256: encoded = "" } of Object.values(files)) {
    const uri = url.replace(/^http:/, "https:");
    const digest = Buffer.from(encoded, "base64");
    if (publisher.test(uri) && uri.includes(kb.toLowerCase()) && digest.length === 32) {
      return { uri, sha256: digest.toString("hex") };
    }
  }
  throw new Error(`it has no file of ${kb} with a SHA-256`);
}
