import { mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import type { BuildContext, Progress } from "./artifact.ts";
import { sha256OfFile } from "./cache-marker.ts";
import { transferText } from "./progress-text.ts";

interface DownloadSource {
  readonly url: string;
  /** Of the file, in lower-case hexadecimal. */
  readonly sha256: string;
}

/** Made for some hundred megabytes over a slow, unreliable connection. */
const defaultLimits = {
  connectSeconds: 20,
  /** Longest time of one attempt. */
  wholeSeconds: 3600,
  /** Time after which a transfer of less than 20 kB/s counts as broken. */
  slowSeconds: 30,
  tries: 5,
  /** Pause after the first failed attempt; doubled after each further one. */
  pauseMilliseconds: 1000,
  progressSeconds: 5,
};

export interface DownloadOptions
  extends Readonly<Partial<typeof defaultLimits>>, Pick<BuildContext, "downloads" | "progress"> {}

interface Transfer extends Readonly<typeof defaultLimits> {
  /** The incomplete download, on the file system of `into`: resumed, and kept if the connection breaks. */
  readonly partial: string;
  readonly progress: Progress;
}

/** The download failed or is incomplete; another source, or a later attempt, may work. */
export class DownloadError extends Error {
  override readonly name = "DownloadError";
}

/** The download does not match the pinned checksum, which must never be ignored. */
export class WrongContentError extends Error {
  override readonly name = "WrongContentError";
}

const lowestSpeed = 20_000;

/** Exit codes of curl, see its manual page. */
const curlExit = { httpError: 22, writeError: 23, rangeError: 33 } as const;
/** A lost connection: cut short, too slow, no answer, or failed while sending or receiving. */
const brokenConnection: readonly (number | undefined)[] = [18, 28, 52, 55, 56, 92];

/**
 * Downloads a file with curl, which honours the user's proxy settings. Resumes an incomplete download, so the caller
 * must hold a lock for the checksum.
 *
 * @throws DownloadError with the reason: no curl, no route, an error of the server, no disk space.
 * @throws WrongContentError if the file has another checksum; it is kept for inspection, and nothing is at `into`.
 */
export async function download(
  source: DownloadSource,
  into: string,
  { downloads, ...given }: DownloadOptions,
): Promise<void> {
  const partial = path.join(downloads, `${source.sha256}.part`);
  const options = { ...defaultLimits, ...given, partial };
  const { progress } = options;
  await mkdir(path.dirname(partial), { recursive: true });
  let failures = 0;
  while (!(await isWhole(source, partial))) {
    const earlier = await sizeOf(partial);
    if (earlier > 0) progress(`resuming after ${transferText(earlier)}`);
    const end = await transfer(source.url, earlier, options);
    if (end === "complete" && (await isWhole(source, partial))) break;
    if (end === "complete" && earlier === 0) {
      throw new WrongContentError(await setAside(source, partial));
    }
    if (typeof end === "string") {
      progress(
        end === "complete"
          ? // The two parts may belong to different files, so only a complete download counts.
            "the parts do not fit together, downloading the whole file again"
          : "the server cannot resume, downloading the whole file again",
      );
      await rm(partial, { force: true });
      continue;
    }
    failures += 1;
    if (end.noRoom) await rm(partial, { force: true });
    if (!end.isTemporary || failures >= options.tries) throw new DownloadError(end.why);
    progress(`${end.why}; trying again`);
    await sleep(options.pauseMilliseconds * 2 ** (failures - 1));
  }
  await rename(partial, into);
}

type TransferEnd =
  | "complete"
  | "range refused"
  | { readonly why: string; readonly noRoom: boolean; readonly isTemporary: boolean };

async function transfer(url: string, earlier: number, options: Transfer): Promise<TransferEnd> {
  const { partial, slowSeconds } = options;
  const headers = `${partial}.headers`;
  const running = curl(
    [
      ...["--fail", "--location"],
      ...["--speed-limit", String(lowestSpeed), "--speed-time", String(slowSeconds)],
      ...["--dump-header", headers, "--write-out", "%{http_code}"],
      ...["--continue-at", "-", "--output", partial, url],
    ],
    options,
  );
  const watching = watch(headers, earlier, options);
  try {
    const { failed, exitCode, stdout, why } = await running;
    if (!failed) return "complete";
    const status = Number(stdout);
    const refused = exitCode === curlExit.httpError;
    if (earlier > 0 && (exitCode === curlExit.rangeError || (refused && status === 416))) {
      return "range refused";
    }
    const noRoom = exitCode === curlExit.writeError;
    return {
      why: noRoom ? `no disk space below ${path.dirname(partial)} (${why})` : why,
      noRoom,
      isTemporary:
        brokenConnection.includes(exitCode) || (refused && (status === 429 || status >= 500)),
    };
  } finally {
    clearInterval(watching);
    await rm(headers, { force: true });
  }
}

/** Longest file, in bytes: an ISO of Windows has 8 GB. */
const longestFile = 16 * 1024 ** 3;

/** Runs curl without the user's own settings for it, which could change what is downloaded, and to where. */
export async function curl(
  args: readonly string[],
  { connectSeconds, wholeSeconds }: { connectSeconds: number; wholeSeconds: number },
): Promise<{ failed: boolean; exitCode: number | undefined; stdout: string; why: string }> {
  const { failed, exitCode, code, stdout, stderr, shortMessage } = await execa(
    "curl",
    [
      // Only where it comes first.
      "--disable",
      ...["--max-filesize", String(longestFile)],
      ...["--silent", "--show-error", "--proto", "=https", "--proto-redir", "=https"],
      ...["--connect-timeout", String(connectSeconds), "--max-time", String(wholeSeconds)],
      ...args,
    ],
    {
      reject: false,
      stdin: "ignore",
      timeout: (wholeSeconds + 10) * 1000,
      stripFinalNewline: false,
    },
  );
  const [line = ""] = (stderr ?? "").trim().split("\n");
  const why = code === "ENOENT" ? "curl is missing" : line || (shortMessage ?? "");
  return { failed, exitCode, stdout: stdout ?? "", why };
}

function watch(
  headers: string,
  earlier: number,
  { partial, progress, progressSeconds }: Transfer,
): NodeJS.Timeout {
  const started = Date.now();
  const report = async (): Promise<void> => {
    const [size, total] = [await sizeOf(partial), await announcedSize(headers)];
    const seconds = (Date.now() - started) / 1000;
    progress(transferText(size, total, (size - earlier) / seconds));
  };
  const timer = setInterval(() => {
    report().catch(() => undefined);
  }, progressSeconds * 1000);
  timer.unref();
  return timer;
}

async function announcedSize(headers: string): Promise<number | undefined> {
  const answers = (await readFile(headers, "utf8").catch(() => "")).split(/\r?\n\r?\n/);
  const last = answers.filter((answer) => answer.trim() !== "").at(-1) ?? "";
  const size =
    /^content-range: *bytes [0-9]+-[0-9]+\/([0-9]+)/im.exec(last)?.[1] ??
    /^content-length: *([0-9]+)/im.exec(last)?.[1];
  return size === undefined ? undefined : Number(size);
}

async function isWhole({ sha256 }: DownloadSource, partial: string): Promise<boolean> {
  return (await sizeOf(partial)) > 0 && (await sha256OfFile(partial)) === sha256;
}

/** Keeps a wrong file for inspection, where no later attempt uses it; returns a message about it. */
async function setAside({ url, sha256 }: DownloadSource, partial: string): Promise<string> {
  const found = await sha256OfFile(partial);
  const folder = path.join(path.dirname(partial), "wrong");
  const kept = path.join(folder, `${found.slice(0, 16)}-${path.posix.basename(url)}`);
  await mkdir(folder, { recursive: true });
  await rename(partial, kept);
  return (
    `${url} has SHA-256 ${found}, not the pinned ${sha256}: not used, but kept as ${kept} for inspection. ` +
    `Compare it with the publisher's checksum; a proxy or a mirror may have sent another file`
  );
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}

/** Maximum size: a checksum file has a few lines, a release on GitHub a few kilobytes for each of its files. */
const longestBytes = 1024 ** 2;

/** A short text at an https URL. @param form fields to post. @throws DownloadError with the reason. */
export async function downloadText(
  url: string,
  form: Readonly<Record<string, string>> = {},
): Promise<string> {
  const fields = Object.entries(form).map(([name, value]) => `${name}=${value}`);
  const args = ["--fail", "--location", "--max-filesize", String(longestBytes)];
  const { failed, stdout, why } = await curl(
    [...args, ...fields.flatMap((field) => ["--data-urlencode", field]), url],
    { connectSeconds: 20, wholeSeconds: 60 },
  );
  if (failed) throw new DownloadError(why);
  return stdout;
}
