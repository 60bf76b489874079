import { below, readXml } from "../../../host/read-xml.ts";

/** A volume of a libvirt pool. */
export interface PoolVolume {
  readonly name: string;
  /** Path of the base volume, if this is an overlay. */
  readonly backing: string | undefined;
  readonly path: string;
}

/** Reads the output of `virsh vol-dumpxml`. */
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
 * Names of the golden images in a lab's pool that are not the base of any overlay.
 *
 * @param prefix of the images' names.
 * @param keep the image for new machines, which is never included; undefined when the lab is deleted.
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

/** The name of an image ends with the hash of its content. */
function isImage(prefix: string, name: string): boolean {
  return (
    name.startsWith(`${prefix}-`) && /^[0-9a-f]{12}\.qcow2$/.test(name.slice(prefix.length + 1))
  );
}
