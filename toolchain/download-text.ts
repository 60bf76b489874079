import { execa } from "execa";

import { DownloadError } from "./download.ts";

/** Maximum size: a checksum file has a few lines, a release on GitHub a few kilobytes for each of its files. */
const longestBytes = 1024 ** 2;
const connectSeconds = 20;
const wholeSeconds = 60;

/**
 * A short text at an https URL, with curl as every download.
 *
 * @param form fields of a form to post.
 * @throws DownloadError with the reason.
 */
export async function downloadText(
  url: string,
  form: Readonly<Record<string, string>> = {},
): Promise<string> {
  const fields = Object.entries(form).flatMap(([name, value]) => [
    "--data-urlencode",
    `${name}=${value}`,
  ]);
  const curl = await execa(
    "curl",
    [
      ...["--fail", "--silent", "--show-error", "--location"],
      ...["--proto", "=https", "--proto-redir", "=https"],
      ...["--connect-timeout", String(connectSeconds), "--max-time", String(wholeSeconds)],
      ...["--max-filesize", String(longestBytes), ...fields, url],
    ],
    {
      reject: false,
      stdin: "ignore",
      timeout: (wholeSeconds + 10) * 1000,
      stripFinalNewline: false,
    },
  );
  if (curl.failed) {
    const why = curl.stderr.trim().split("\n")[0] ?? "";
    throw new DownloadError(curl.code === "ENOENT" ? "curl is missing" : why || curl.shortMessage);
  }
  return curl.stdout;
}
