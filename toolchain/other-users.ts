import type { Stats } from "node:fs";

/** Users who could do everything anyway: root, this user, and the one who became root by sudo. */
function trustedUsers(): readonly number[] {
  const by = process.env["SUDO_UID"] ?? "";
  return [0, process.geteuid?.() ?? 0, ...(/^\d+$/.test(by) ? [Number(by)] : [])];
}

type Rights = Pick<Stats, "uid" | "gid" | "mode">;

/** Whether the mode of a file or folder lets other users write to it. */
export function isOpenToOthers({ gid, mode }: Rights): boolean {
  const byGroup = (mode & 0o020) !== 0 && gid !== 0 && gid !== process.getgid?.();
  return (mode & 0o002) !== 0 || byGroup;
}

export function isOfOthers({ uid }: Rights): boolean {
  return !trustedUsers().includes(uid);
}
