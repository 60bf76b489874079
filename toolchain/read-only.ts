/** Whether a file could not be written for lack of permission, or on a read-only file system. */
export function isReadOnly(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return ["EROFS", "EACCES", "EPERM"].includes(code);
}
