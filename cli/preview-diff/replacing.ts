import type { PreviewedResource } from "./previewed-resource.ts";

/**
 * Inputs of each type whose change makes the resource anew. No plugin is asked: without a state it has nothing to
 * compare with.
 *
 * libvirt: `ForceNew` in terraform-provider-libvirt 0.8.3, libvirt/resource_*.go. docker: plugins/docker/network.ts,
 * and the official one alike.
 */
const byType: Readonly<Record<string, readonly string[] | "all">> = {
  "libvirt:index/cloudinitDisk:CloudinitDisk": "all",
  "libvirt:index/domain:Domain": [
    ...["name", "description", "vcpu", "memory", "firmware", "type", "nvram", "cpu", "xml"],
    ...["coreosIgnition", "fwCfgName", "filesystems", "disks", "graphics", "consoles", "tpm"],
    "cmdlines",
  ],
  "libvirt:index/network:Network": ["name", "domain", "mode", "bridge", "addresses", "xml"],
  "libvirt:index/pool:Pool": ["name", "type", "path", "target", "source", "xml"],
  "libvirt:index/volume:Volume": [
    ...["name", "pool", "source", "size", "format", "xml"],
    ...["baseVolumeId", "baseVolumePool", "baseVolumeName"],
  ],
  "docker:index/network:Network": "all",
  "command:local:Command": ["triggers"],
  "command:remote:Command": ["triggers"],
  "command:remote:CopyToRemote": ["triggers"],
};

/** Whether a change of an input replaces the resource; an object of Kubernetes is one by its name and kind. */
export function replaces(resource: PreviewedResource, path: readonly string[]): boolean {
  const [input = "", below = ""] = path;
  if (resource.replacing.includes(input)) {
    return true;
  }
  if (resource.type.startsWith("kubernetes:")) {
    return (
      ["apiVersion", "kind"].includes(input) ||
      (input === "metadata" && ["name", "namespace"].includes(below)) ||
      (input === "spec" && below === "selector" && resource.type.startsWith("kubernetes:apps/"))
    );
  }
  const known = byType[resource.type];
  return known === "all" || (known?.includes(input) ?? false);
}
