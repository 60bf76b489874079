/** Where a DLL says that it is one of Wine's own, in the unused part of its DOS header. */
const signatureOffset = 64;
const signatureEnd = 96;

/**
 * Marks a DLL as one of Wine's own, so that Wine loads it beside its own ones.
 *
 * As the package libwine does with zlib when it is configured (Debian builds zlib apart from Wine, Wine's user32 needs
 * it); here packages are only unpacked.
 *
 * @throws when the file is not a Windows program.
 */
export function asWineBuiltin(dll: Buffer): Buffer {
  if (dll.length < signatureEnd || dll.toString("latin1", 0, 2) !== "MZ") {
    throw new Error("not a Windows DLL: it has no DOS header");
  }
  const marked = Buffer.from(dll);
  marked.fill(0, signatureOffset, signatureEnd);
  marked.write("Wine builtin DLL", signatureOffset, "latin1");
  return marked;
}
