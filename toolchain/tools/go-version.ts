import { execa } from "execa";

/** Oldest Go that compiles every module: what their go.mod files ask for. */
const oldest = { major: 1, minor: 26 };

/**
 * @param what is built.
 * @param why it is not downloaded; left out where nobody offers it for that.
 * @throws when Go is missing or too old, with what to do.
 */
export async function requireGo(what: string, why?: string): Promise<void> {
  const needed = `Go is needed to build ${what}${why === undefined ? "" : `, since ${why}`}`;
  let printed: string;
  try {
    // GOTOOLCHAIN=local: what is installed counts, not what Go could fetch.
    const result = await execa("go", ["env", "GOVERSION"], {
      env: { GOTOOLCHAIN: "local" },
      timeout: 10_000,
    });
    printed = result.stdout;
  } catch (error) {
    throw new Error(
      `${needed}, and "go env GOVERSION" failed: ` +
        `install Go ${oldest.major}.${oldest.minor} or later (https://go.dev/dl) and put it on the PATH`,
      { cause: error },
    );
  }
  if (!isRecentEnough(printed)) {
    throw new Error(
      `${needed}, in version ${oldest.major}.${oldest.minor} or later, but it is ${printed.trim()}: ` +
        `install a newer one (https://go.dev/dl) and put it first on the PATH`,
    );
  }
}

/** Whether what `go env GOVERSION` prints is a version the tools compile with; a development version is. */
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
