import path from "node:path";
import { recordedSha256 } from "../../toolchain/cache-marker.ts";

/** A disk that machines start from is identified by its content, which differs with each build. */
export async function builtDisk(
  folder: string,
  name: string,
): Promise<{ path: string; hash: string }> {
  const hash = (await recordedSha256(folder, name)).slice(0, 12);
  return { path: path.join(folder, name), hash };
}
