/** A volume of a libvirt pool. */
export interface PoolVolume {
  readonly name: string;
  /** Path of the volume that it is an overlay of. */
  readonly backing: string | undefined;
  readonly path: string;
}

/** Reads what `virsh vol-dumpxml` says of a volume. */
export function parseVolume(xml: string): PoolVolume {
  const [own = "", backing] = xml.split("<backingStore>");
  return {
    name: element(own, "name") ?? "",
    // A backing store stands behind the volume's own target.
    path: element(own, "path") ?? "",
    backing: backing === undefined ? undefined : element(backing, "path"),
  };
}

/**
 * Golden images of a lab's pool that nothing stands on: overlays are never among them, and neither is `keep`.
 *
 * @param prefix what their names begin with, before a hyphen and the content's hash.
 * @param keep name of the image for new machines; none when the lab goes.
 */
export function unusedImages(
  prefix: string,
  volumes: readonly PoolVolume[],
  keep: string | undefined,
): readonly string[] {
  const inUse = new Set(volumes.map(({ backing }) => backing));
  return volumes
    .filter(({ name, backing }) => backing === undefined && isImage(prefix, name))
    .filter(({ name, path }) => name !== keep && !inUse.has(path))
    .map(({ name }) => name);
}

/** An image is named by its content's hash; the identity disks beside it are not qcow2. */
function isImage(prefix: string, name: string): boolean {
  return (
    name.startsWith(`${prefix}-`) && /^[0-9a-f]{12}\.qcow2$/.test(name.slice(prefix.length + 1))
  );
}

function element(xml: string, tag: string): string | undefined {
  const text = new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];
  return text?.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
}
