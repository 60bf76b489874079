import type { Complaint } from "../problem.ts";

const instead = "Write https://HOST/PATH/FILE.";

/** Address a file is downloaded from. */
export function downloadAddress(value: string): Complaint | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined) {
    return { why: "is not an address", instead };
  }
  if (url.protocol !== "https:") {
    return { why: "is not an https address", instead };
  }
  if (url.username !== "" || url.password !== "") {
    return {
      why: "has a login in it, which would be written down in logs and errors",
      instead: "Leave the login out; or download the file yourself and write its path.",
    };
  }
  if (url.search !== "" || url.hash !== "") {
    return {
      why: "has more than a path, which would be written down in file names, logs and errors",
      instead:
        "Write an address without ? and #; or download the file yourself and write its path.",
    };
  }
  return /[^/]$/.test(url.pathname) ? undefined : { why: "names no file", instead };
}
