/** Debian's installer creates files of several users. @throws if the user is not root. */
export function requireRoot(what: string): Promise<void> {
  const why = `${what} is made with debootstrap and chroot, which need root: run this as root`;
  return process.getuid?.() === 0 ? Promise.resolve() : Promise.reject(new Error(why));
}
