import { open } from "node:fs/promises";

/** Has a file on the disk: once it has its name in the cache it must be whole, also after a power cut. */
export async function flushFile(file: string): Promise<void> {
  await using handle = await open(file, "r+");
  await handle.sync();
}
