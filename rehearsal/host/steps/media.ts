import { createHash } from "node:crypto";
import { type StepContext, StepError } from "../step.ts";

const mediaFolder = "C:\\kindows\\media";
/** Seconds between the script's four tries of a download. */
const pauses = [2, 5, 10, 0];

/** Where a file of the media lies, and where it came from. */
export interface Medium {
  readonly path: string;
  readonly from: "media" | "download";
}

/** The file with this checksum: from C:\kindows\media\<sha256>\ when it lies there, else from its address. */
export async function getMedium(
  context: StepContext,
  uri: string,
  sha256: string,
): Promise<Medium> {
  const { drive } = context.host;
  const wanted = sha256.toLowerCase();
  const fileName = decodeURIComponent(new URL(uri).pathname.split("/").at(-1) ?? "");
  const path = `${mediaFolder}\\${wanted}\\${fileName}`;
  if ((await drive.sha256(path)) === wanted) return { path, from: "media" };

  const content = await download(context, uri);
  const actual = createHash("sha256").update(content).digest("hex");
  if (actual !== wanted) {
    throw new StepError(
      "ChecksumMismatch",
      `${uri} has the SHA-256 ${actual}, expected was ${wanted}.`,
      "Compare with the checksum its publisher gives; a proxy or mirror may have sent something else.",
    );
  }
  await drive.write(path, content);
  return { path, from: "download" };
}

async function download(context: StepContext, uri: string): Promise<Buffer> {
  let lastError = "";
  for (const pause of pauses) {
    try {
      context.progress(`downloading ${uri}`);
      return await context.host.download(uri);
    } catch (error) {
      lastError = error instanceof Error ? error.message : String(error);
      context.progress(`that failed: ${lastError}`);
      await context.host.pause(pause);
    }
  }
  throw new StepError(
    "DownloadFailed",
    `${uri} could not be downloaded in ${pauses.length} tries; the last one said: ${lastError}`,
    `Give the machine a way to that address, or put the file into ${mediaFolder}\\<sha256>\\ on it.`,
  );
}
