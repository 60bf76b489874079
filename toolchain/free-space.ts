import { statfs } from "node:fs/promises";

/** Free space for ordinary users on the file system of a folder, in GiB. */
export async function freeGiB(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return (bavail * bsize) / 1024 ** 3;
}
