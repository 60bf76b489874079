import { runProgram } from "../../host/run-program.ts";

/** A page of Microsoft's that is there to be asked for: Windows itself does so to see whether it is on the internet. */
export const internetPage = {
  url: "http://www.msftconnecttest.com/connecttest.txt",
  text: "Microsoft Connect Test",
} as const;

/** Longest time to wait for it, in seconds. */
const timeoutSeconds = 5;

/** Why the page cannot be had from this host itself, by no proxy; nothing where it can. */
export async function whyNoInternet(): Promise<string | undefined> {
  const { how, stdout, reason } = await runProgram(
    "curl",
    [
      ...["--silent", "--show-error", "--fail", "--noproxy", "*"],
      ...["--max-time", String(timeoutSeconds), internetPage.url],
    ],
    timeoutSeconds + 5,
  );
  if (how === "well" && stdout.includes(internetPage.text)) {
    return undefined;
  }
  const why = how === "well" ? "another page came back" : (reason.split("\n").at(-1) ?? reason);
  return `needs internet: this host has none (${internetPage.url}: ${why})`;
}
