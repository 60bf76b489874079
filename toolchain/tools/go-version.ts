import { execa } from "execa";

/** Oldest Go that compiles every module, according to their go.mod files. */
const oldest = { major: 1, minor: 26 };

/** Why the Go on the PATH is unsuitable, with a remedy; undefined if it is suitable. */
export async function whyNoGo(): Promise<string | undefined> {
  const wanted = `Go ${oldest.major}.${oldest.minor} or later (https://go.dev/dl)`;
  let printed: string;
  try {
    // GOTOOLCHAIN=local: the installed version counts, not one that Go could download.
    const result = await execa("go", ["env", "GOVERSION"], {
      env: { GOTOOLCHAIN: "local" },
      timeout: 10_000,
    });
    printed = result.stdout;
  } catch {
    return `"go env GOVERSION" failed: install ${wanted} and put it on the PATH`;
  }
  return isRecentEnough(printed)
    ? undefined
    : `the one on the PATH is ${printed.trim()}: install ${wanted} and put it first on the PATH`;
}

/** Whether the output of `go env GOVERSION` is a suitable version; development versions are. */
export function isRecentEnough(printed: string): boolean {
  if (printed.startsWith("devel")) {
    return true;
  }
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(printed.trim()) ?? [];
  if (major === undefined || minor === undefined) {
    return false;
  }
  return (
    Number(major) > oldest.major ||
    (Number(major) === oldest.major && Number(minor) >= oldest.minor)
  );
}
