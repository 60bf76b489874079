/**
 * The SHA-256 in a checksum file as publishers write it: bare, or as `sha256sum` does, one line per file.
 *
 * @param fileName the file it shall be of, where the text names files.
 * @throws when there is none for that file.
 */
export function publishedChecksum(text: string, fileName: string): string {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const [only = ""] = lines;
  if (lines.length === 1 && /^[0-9a-fA-F]{64}$/.test(only.trim())) {
    return only.trim().toLowerCase();
  }
  for (const line of lines) {
    const [, sha256, name] = /^([0-9a-fA-F]{64}) [ *](.+)$/.exec(line) ?? [];
    if (sha256 !== undefined && name?.trim().split("/").at(-1) === fileName) {
      return sha256.toLowerCase();
    }
  }
  throw new Error(`no SHA-256 of ${fileName} is in it`);
}
