/** Whether an error of node:fs says that a file or one of its folders is not there. */
export function isMissing(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}

/** What Windows says with ERROR_DISK_FULL. */
export class DiskFullError extends Error {
  override readonly name = "DiskFullError";

  constructor() {
    super("There is not enough space on the disk.");
  }
}
