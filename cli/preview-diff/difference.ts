import { resourceName } from "../../components/urn.ts";
import { kinds, replacingPaths } from "../../offline/plugins/kubernetes/kinds.ts";
import {
  diffProperties,
  type PropertyChange,
} from "../../offline/plugins/protocol/property-diff.ts";
import {
  containsSecret,
  containsUnknown,
  isUnknown,
} from "../../offline/plugins/protocol/property-value.ts";
import type { Previewed, PreviewedResource } from "../../policy/previewed.ts";

export interface InputChange extends PropertyChange {
  readonly replaces: boolean;
  /** Names of the replaced resources that the value depends on, if it is unknown or secret. */
  readonly follows?: readonly string[];
}

export interface ChangedResource {
  readonly resource: PreviewedResource;
  readonly replaced: boolean;
  readonly properties: readonly InputChange[];
  /** Names of the replaced resources that this one must be replaced with; empty if its own inputs replace it. */
  readonly because: readonly string[];
}

export interface Difference {
  readonly created: readonly PreviewedResource[];
  readonly changed: readonly ChangedResource[];
  readonly deleted: readonly PreviewedResource[];
}

/**
 * Compares the resources of two versions of the program. A resource is also replaced if it depends on a replaced one
 * through an input that forces replacement: a machine with its disk, and a node's steps with its machine.
 */
export function differenceOf(base: Previewed, head: Previewed): Difference {
  const before = new Map(base.resources.map((resource) => [resource.urn, resource]));
  const after = new Set(head.resources.map(({ urn }) => urn));
  const kept = head.resources.flatMap((resource) => {
    const old = before.get(resource.urn);
    return old === undefined ? [] : [{ resource, own: inputChanges(old, resource) }];
  });
  const replacedUrns = new Set(
    kept.flatMap(({ resource, own }) => (own.some((each) => each.replaces) ? resource.urn : [])),
  );
  const because = new Map<string, readonly string[]>();
  for (let count = -1; count !== replacedUrns.size;) {
    count = replacedUrns.size;
    for (const { resource } of kept) {
      const reasons = replacedWith(resource, replacedUrns);
      if (reasons.length > 0 && !replacedUrns.has(resource.urn)) {
        replacedUrns.add(resource.urn);
        because.set(resource.urn, reasons.map(resourceName));
      }
    }
  }
  const changed = kept.map(({ resource, own }) => ({
    resource,
    replaced: replacedUrns.has(resource.urn),
    properties: [...own, ...following(resource, own, replacedUrns)],
    because: because.get(resource.urn) ?? [],
  }));
  return {
    created: head.resources.filter(({ urn }) => !before.has(urn)),
    changed: changed.filter(({ replaced, properties }) => replaced || properties.length > 0),
    deleted: base.resources.filter(({ urn }) => !after.has(urn)),
  };
}

export function isNone({ created, changed, deleted }: Difference): boolean {
  return created.length + changed.length + deleted.length === 0;
}

function replacedWith(
  resource: PreviewedResource,
  replaced: ReadonlySet<string>,
): readonly string[] {
  const fromInputs = hiddenInputs(resource).flatMap(([input, urns]) =>
    replaces(resource, [input]) ? urns : [],
  );
  // The engine also replaces what is deleted with a replaced resource (pulumi/pulumi#23818).
  const { replaceWith, deletedWith } = resource;
  return [...new Set([...replaceWith, deletedWith, ...fromInputs])].filter((urn) =>
    replaced.has(urn),
  );
}

/** Unknown and secret inputs, and the URNs that they depend on. They may change with these; known values do not. */
function hiddenInputs({ inputs, propertyDependencies, ignoreChanges }: PreviewedResource) {
  return Object.entries(propertyDependencies).filter(
    ([input]) =>
      !ignoreChanges.includes(input) &&
      (containsUnknown(inputs[input]) || containsSecret(inputs[input])),
  );
}

/** Hidden inputs that depend on replaced resources, unless their change is reported already. */
function following(
  resource: PreviewedResource,
  reported: readonly InputChange[],
  replaced: ReadonlySet<string>,
): readonly InputChange[] {
  return hiddenInputs(resource)
    .filter(([input]) => !reported.some(({ keys }) => keys[0] === input))
    .map(([input, urns]) => ({
      keys: [input],
      before: resource.inputs[input],
      after: resource.inputs[input],
      replaces: replaces(resource, [input]),
      follows: urns.filter((urn) => replaced.has(urn)).map(resourceName),
    }))
    .filter(({ follows }) => follows.length > 0);
}

function inputChanges(old: PreviewedResource, now: PreviewedResource): readonly InputChange[] {
  return diffProperties(old.inputs, now.inputs)
    .filter(({ before, after }) => !isUnknown(before) || !isUnknown(after))
    .filter(({ keys: [input = ""] }) => !now.ignoreChanges.includes(String(input)))
    .map((change) => ({ ...change, replaces: replaces(now, change.keys) }));
}

/**
 * Inputs of each type whose change replaces the resource. Plugins are not queried, because without a state they have
 * nothing to compare with.
 *
 * libvirt: `ForceNew` in terraform-provider-libvirt 0.8.3, libvirt/resource_*.go.
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
  "kindows:host:Action": ["triggers"],
};

/** Whether a change of the property replaces the resource. */
function replaces(resource: PreviewedResource, keys: PropertyChange["keys"]): boolean {
  const { type, replaceOnChanges } = resource;
  const input = String(keys[0]);
  if (replaceOnChanges.includes(input)) return true;
  if (type.startsWith("kubernetes:")) {
    const paths = replacingPaths(kinds.get(type));
    return paths.some((path) => path.every((key, at) => keys[at] === key));
  }
  const known = byType[type];
  return known === "all" || (known?.includes(input) ?? false);
}
