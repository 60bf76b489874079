import { execa } from "execa";

/** Node images built here and loaded into Docker; the tag begins as the address of the one in the cache. */
const repository = "kindest/node";
const tagPrefix = "kindows-";

/**
 * Removes the node images that Docker holds and the cache does not any more; one that a container uses stays. Does nothing
 * where there is no Docker.
 *
 * @param addresses of what is left in the cache.
 */
export async function removeLoadedImages(
  addresses: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const format = "{{.Repository}}:{{.Tag}}";
  const listed = await execa("docker", ["images", "--format", format, repository], {
    reject: false,
    stdin: "ignore",
    timeout: 60_000,
  });
  if (listed.failed) {
    return;
  }
  for (const reference of orphaned(listed.stdout.split("\n"), addresses)) {
    const removed = await execa("docker", ["rmi", reference], {
      reject: false,
      stdin: "ignore",
      timeout: 60_000,
    });
    say(removed.failed ? `kept ${reference}: it is in use` : `removed ${reference} from Docker`);
  }
}

/** References of images built here whose entry is gone. */
export function orphaned(
  references: readonly string[],
  addresses: readonly string[],
): readonly string[] {
  const prefix = `${repository}:${tagPrefix}`;
  return references.filter(
    (reference) =>
      reference.startsWith(prefix) &&
      !addresses.some((one) => one.startsWith(`node-image-${reference.slice(prefix.length)}`)),
  );
}
