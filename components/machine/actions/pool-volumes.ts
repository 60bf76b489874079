import { below, readXml } from "../../../host/read-xml.ts";

/** A volume of a libvirt pool. */
export interface PoolVolume {
  readonly name: string;
  /** Path of the volume that it is an overlay of. */
  readonly backing: string | undefined;
  readonly path: string;
}

/** Reads what `virsh vol-dumpxml` says of a volume. */
export function parseVolume(xml: string): PoolVolume {
  const [volume] = below(readXml(xml), "volume");
  const textAt = (...path: readonly string[]): string | undefined =>
    volume && below(volume, ...path)[0]?.text;
  return {
    name: textAt("name") ?? "",
    path: textAt("target", "path") ?? "",
    backing: textAt("backingStore", "path"),
  };
}

/**
 * Golden images of a lab's pool, by the beginning of their names, that nothing stands on: overlays are never among them, and
 * neither is `keep`, the image for new machines; there is none when the lab goes.
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
