import path from "node:path";

/** Path of an archive's member in the folder that it is unpacked into. @throws if that would be elsewhere. */
export function insideOf(folder: string, member: string): string {
  const file = path.resolve(folder, member);
  if (!file.startsWith(`${path.resolve(folder)}${path.sep}`) || member.includes("\0")) {
    throw new Error(`an archive has a member that would be outside of its folder: ${member}`);
  }
  return file;
}
