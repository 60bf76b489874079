/** Whether a file could not be written because this user may not, or nobody. */
export function isReadOnly(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return ["EROFS", "EACCES", "EPERM"].includes(code);
}
