import * as z from "zod";

/** A release on GitHub, with each file's checksum since 2025 (REST API, "Get a release by tag name"). */
const release = z.object({
  assets: z.array(z.object({ name: z.string(), digest: z.string().nullish() })),
});

/**
 * The SHA-256 in a publisher's checksum file: bare, or in the format of `sha256sum`, one line per file; or in a release from
 * GitHub's API.
 *
 * @param fileName the file whose checksum is wanted, if the text names files.
 * @throws if there is none for that file.
 */
export function publishedChecksum(text: string, fileName: string): string {
  const found = text.trimStart().startsWith("{")
    ? inRelease(text, fileName)
    : inChecksumFile(text, fileName);
  if (found === undefined) {
    throw new Error(`no SHA-256 of ${fileName} is in it`);
  }
  return found.toLowerCase();
}

function inChecksumFile(text: string, fileName: string): string | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const [only = ""] = lines;
  if (lines.length === 1 && /^[0-9a-fA-F]{64}$/.test(only.trim())) {
    return only.trim();
  }
  for (const line of lines) {
    const [, sha256, name] = /^([0-9a-fA-F]{64}) [ *](.+)$/.exec(line) ?? [];
    if (sha256 !== undefined && name?.trim().split("/").at(-1) === fileName) {
      return sha256;
    }
  }
  return undefined;
}

function inRelease(text: string, fileName: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = release.safeParse(value);
  const asset = parsed.data?.assets.find(({ name }) => name === fileName);
  return /^sha256:([0-9a-fA-F]{64})$/.exec(asset?.digest ?? "")?.[1];
}
