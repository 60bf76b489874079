import * as z from "zod";
import type { Complaint, SettingsProblem } from "./problem.ts";
import { ofForm, text } from "./values/value.ts";

export const localFile = ofForm(
  /^\//,
  "is not an absolute path, so its meaning would depend on where the command is started",
  "Write the full path, starting with /.",
);

const schema = (what: string, downloader: string) =>
  z
    .strictObject({
      path: text(localFile)
        .optional()
        .meta({ description: `Absolute path of ${what} on this host.` }),
      url: text(downloadAddress)
        .optional()
        .meta({ description: `Or the https address from which ${downloader} downloads it.` }),
      sha256: text(fileSha256)
        .optional()
        .meta({ description: "SHA-256 of the file, in lower case; required with `url`." }),
    })
    .prefault({});

/**
 * Settings for a file by its path, or by its address and checksum.
 *
 * @param what the file, for descriptions, e.g. "the virtio drivers' ISO".
 * @param downloader the command that downloads it.
 */
export function namedFile(what: string, downloader: string): ReturnType<typeof schema> {
  return schema(what, downloader);
}

const addressForm = "Write https://HOST/PATH/FILE.";

export function downloadAddress(value: string): Complaint | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined) return { why: "is not an address", instead: addressForm };
  if (url.protocol !== "https:") return { why: "is not an https address", instead: addressForm };
  if (url.username !== "" || url.password !== "") {
    return {
      why: "contains a login, which would appear in logs and errors",
      instead: "Leave the login out, or download the file yourself and write its path.",
    };
  }
  if (url.search !== "" || url.hash !== "") {
    return {
      why: "has a query or fragment, which would appear in file names, logs and errors",
      instead:
        "Write an address without ? and #, or download the file yourself and write its path.",
    };
  }
  return /[^/]$/.test(url.pathname) ? undefined : { why: "names no file", instead: addressForm };
}

const digits = "Write the 64 hexadecimal digits that `sha256sum FILE` prints";

/** Checks the SHA-256 of a file whose checksum `./kindows fetch` can find too. */
export function sha256(value: string): Complaint | undefined {
  return fileSha256(value, `${digits}, or leave it out and run \`./kindows fetch\`.`);
}

/** Checks the SHA-256 of a file whose checksum no command can find. */
export function fileSha256(value: string, instead = `${digits}.`): Complaint | undefined {
  if (/^[0-9a-f]{64}$/.test(value)) return undefined;
  return /^[0-9a-fA-F]{64}$/.test(value)
    ? { why: "has digits in upper case", instead: `Write "${value.toLowerCase()}".` }
    : { why: "is not a SHA-256", instead };
}

export interface NamedFile {
  readonly path?: string | undefined;
  readonly url?: string | undefined;
  readonly sha256?: string | undefined;
}

/**
 * Checks that a file has a single source, and a checksum if it is downloaded.
 *
 * @param at path of the file's settings.
 * @param sources the settings that may name the file's source, for the error.
 */
export function namedFileProblems(
  { path, url, sha256 }: NamedFile,
  at: readonly string[],
  sources = "path or url",
): SettingsProblem[] {
  const problem = (key: string, why: string, instead: string) => [
    { path: [...at, key], why, instead },
  ];
  if (path !== undefined && url !== undefined) {
    return problem("url", "is set together with path", "Write only one of them.");
  }
  if (url !== undefined && sha256 === undefined) {
    const why = "is missing, and nothing is downloaded without one";
    return problem("sha256", why, "Write what the publisher of the file at `url` gives.");
  }
  return sha256 !== undefined && url === undefined && path === undefined
    ? problem("sha256", "is set without a file", `Write ${sources} as well, or leave it out.`)
    : [];
}
