import { chmod, rename, rm } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";

import { sha256OfFile } from "../cache-marker.ts";
import type { Outcome, Tool } from "./tool.ts";

/** A host without a route to the site must not wait long: building comes next. */
const connectSeconds = 4;
const wholeSeconds = 600;
/** Slower than this for ten seconds counts as no route, in bytes per second. */
const lowestSpeed = 20_000;

/**
 * Downloads a tool of one executable. curl does it, since it knows the user's proxy settings; a host without curl has
 * no downloads.
 *
 * @throws on a wrong checksum: that is never a reason to go on with something else.
 */
export async function fetchDownload(tool: Tool, into: string): Promise<Outcome> {
  if ("none" in tool.download) {
    return "";
  }
  const { url, sha256 } = tool.download;
  const [executable] = tool.executables;
  if (executable === undefined || tool.executables.length > 1) {
    throw new Error(`${tool.name}: a download is one executable, not ${tool.executables.length}`);
  }
  const part = path.join(into, `${executable}.part`);
  const curl = await execa(
    "curl",
    [
      "--fail",
      "--silent",
      "--show-error",
      "--location",
      ...["--proto", "=https", "--proto-redir", "=https"],
      ...["--connect-timeout", String(connectSeconds), "--max-time", String(wholeSeconds)],
      ...["--speed-limit", String(lowestSpeed), "--speed-time", "10"],
      ...["--output", part, url],
    ],
    { reject: false, stdin: "ignore", timeout: (wholeSeconds + 10) * 1000 },
  );
  if (curl.failed) {
    await rm(part, { force: true });
    return curl.code === "ENOENT"
      ? "curl is missing"
      : `download failed (${firstLine(curl.stderr)})`;
  }
  const found = await sha256OfFile(part);
  if (found !== sha256) {
    throw new Error(`${url} has SHA-256 ${found}, not the pinned ${sha256}: not used`);
  }
  await chmod(part, 0o755);
  await rename(part, path.join(into, executable));
  return undefined;
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}
