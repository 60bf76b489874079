import { statfs } from "node:fs/promises";

/** What anybody may still write to the file system of a folder, in GiB. */
export async function freeGiB(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return (bavail * bsize) / 1024 ** 3;
}
