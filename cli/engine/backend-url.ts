/**
 * Address of a file backend for `PULUMI_BACKEND_URL`.
 *
 * The blob library below the engine keeps a file of attributes beside each of its own, which it fills in place: an
 * engine that was killed while it did so left an empty one, and every later command failed with "failed to load
 * checkpoint: EOF". The engine does not need them (gocloud.dev/blob/fileblob, URL parameter `metadata`). What remains
 * is written beside its place and moved there.
 *
 * @param folder absolute path.
 */
export function backendUrl(folder: string): string {
  return `file://${folder}?metadata=skip`;
}
