/** Why a file could not be opened or read, to follow its path. */
export function readFailure(error: unknown): string {
  const { code = "unknown" } = error as NodeJS.ErrnoException;
  return code === "ENOENT" ? "does not exist" : `can't be read (${code})`;
}
