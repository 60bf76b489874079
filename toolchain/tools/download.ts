import { chmod, rm } from "node:fs/promises";
import path from "node:path";

import type { BuildContext } from "../artifact.ts";
import { DownloadError, download } from "../download.ts";
import type { Outcome, Tool } from "./tool.ts";

/** A host without a route to the site must not wait long, and no second time: building comes next. */
const limits = {
  connectSeconds: 4,
  wholeSeconds: 600,
  slowSeconds: 10,
  tries: 1,
  pauseMilliseconds: 0,
  progressSeconds: 30,
};

/**
 * Downloads a tool of one executable; a host without curl has no downloads.
 *
 * @throws on a wrong checksum: that is never a reason to go on with something else.
 */
export async function fetchDownload(
  tool: Tool,
  into: string,
  { progress, downloads }: Pick<BuildContext, "progress" | "downloads">,
): Promise<Outcome> {
  if ("none" in tool.download) {
    return "";
  }
  const [executable] = tool.executables;
  if (executable === undefined || tool.executables.length > 1) {
    throw new Error(`${tool.name}: a download is one executable, not ${tool.executables.length}`);
  }
  const file = path.join(into, executable);
  const partial = path.join(downloads, `${tool.download.sha256}.part`);
  try {
    await download(tool.download, file, { ...limits, partial, progress });
  } catch (error) {
    await rm(partial, { force: true });
    if (error instanceof DownloadError) {
      return error.message === "curl is missing"
        ? error.message
        : `download failed (${error.message})`;
    }
    throw error;
  }
  await chmod(file, 0o755);
  return undefined;
}
