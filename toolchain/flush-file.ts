import { open } from "node:fs/promises";

/** Flushes a file to the disk, so that after its rename into the cache it is complete even after a power cut. */
export async function flushFile(file: string): Promise<void> {
  await using handle = await open(file, "r+");
  await handle.sync();
}
