import { runProgram } from "../../host/run-program.ts";

/** Microsoft's page for connectivity checks, which Windows itself uses. */
export const internetPage = {
  url: "http://www.msftconnecttest.com/connecttest.txt",
  text: "Microsoft Connect Test",
} as const;

/** Longest wait for it, in seconds. */
const timeoutSeconds = 5;

/** Why this host cannot load the page without a proxy, if so. */
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
