export function isReadOnly(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return ["EROFS", "EACCES", "EPERM"].includes(code);
}
