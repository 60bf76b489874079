/**
 * The check of what Debian's installer makes, with files of several users.
 *
 * @throws for whoever is not root.
 */
export function requireRoot(what: string): Promise<void> {
  const why = `${what} is made with debootstrap and chroot, which need root: run this as root`;
  return process.getuid?.() === 0 ? Promise.resolve() : Promise.reject(new Error(why));
}
