import assert from "node:assert/strict";

import { differenceOf, isNone } from "../../../../cli/preview-diff/difference.ts";
import { readPreview } from "../../../../cli/preview-diff/previewed.ts";
import type { Previewed } from "../../../../cli/preview-diff/previewed.ts";

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

interface Given {
  readonly type?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Further fields of the engine's new state. */
  readonly with?: Readonly<Record<string, unknown>>;
}

const urn = (name: string): string => `urn:pulumi:a::kindows::x::${name}`;

/** A preview as the engine prints it. */
function previewed(resources: Readonly<Record<string, Given>>): Previewed {
  const steps = Object.entries(resources).map(
    ([name, { type = "x:y:Z", inputs = {}, ...given }]) => ({
      op: "create",
      urn: urn(name),
      newState: { custom: true, type, inputs, ...given.with },
    }),
  );
  return readPreview(JSON.stringify({ steps, diagnostics: [] }), "/project");
}

const command = "command:local:Command";
const volume = "libvirt:index/volume:Volume";
const domain = "libvirt:index/domain:Domain";

/** Files in an archive, as the engine knows them. */
const archive = (place: string): object => ({
  ...{ "4dabf18193072939515e22adb298388d": "0def7320c3a5731c473e5ecbe6d01bc7" },
  ...{ hash: "1", path: place },
});

/** A machine with a disk that is like this, and what follows from it. */
const machineOn = (disk: object): Readonly<Record<string, Given>> => ({
  disk: { type: volume, inputs: { ...disk } },
  other: {
    ...{ type: volume, inputs: { baseVolumeId: unknown } },
    with: {
      propertyDependencies: { baseVolumeId: [urn("disk")] },
      ignoreChanges: ["baseVolumeId"],
    },
  },
  machine: {
    ...{ type: domain, inputs: { disks: [{ volumeId: unknown }] } },
    with: { propertyDependencies: { disks: [urn("disk")] } },
  },
  step: {
    ...{ type: command, inputs: { triggers: [unknown] } },
    with: { propertyDependencies: { triggers: [urn("machine")] } },
  },
  updated: {
    ...{ type: command, inputs: { environment: { X: unknown } } },
    with: { propertyDependencies: { environment: [urn("machine")] } },
  },
  object: { with: { replaceWith: [urn("step")] } },
});

const cases: readonly {
  readonly name: string;
  readonly base: Readonly<Record<string, Given>>;
  readonly head: Readonly<Record<string, Given>>;
  /** `+name`, `-name`, `~name path...`, `!name path... (because)`. */
  readonly lines: readonly string[];
}[] = [
  { name: "nothing where nothing changed", base: { a: {} }, head: { a: {} }, lines: [] },
  { name: "created and deleted", base: { a: {} }, head: { b: {} }, lines: ["+b", "-a"] },
  {
    name: "components, which do nothing",
    base: { a: { with: { custom: false }, inputs: { x: 1 } } },
    head: { a: { with: { custom: false }, inputs: { x: 2 } }, b: { with: { custom: false } } },
    lines: [],
  },
  {
    name: "properties by their paths: changed, new, gone",
    base: { a: { inputs: { x: { y: [1, 2] }, gone: true } } },
    head: { a: { inputs: { x: { y: [1, 3, 4] }, z: null } } },
    lines: ["~a x.y.1 x.y.2 gone z"],
  },
  {
    name: "JSON in texts, however it is written",
    base: { a: { inputs: { environment: { NODE: '{"name":"n","t":1}', SAME: '{"a":1}' } } } },
    head: { a: { inputs: { environment: { NODE: '{"name":"n","t":2}', SAME: '{ "a": 1 }' } } } },
    lines: ["~a environment.NODE.t"],
  },
  {
    name: "nothing that is secret or not known on both sides",
    base: { a: { inputs: { s: "[secret]", u: unknown } } },
    head: { a: { inputs: { s: "[secret]", u: unknown } } },
    lines: [],
  },
  {
    name: "what becomes a secret",
    base: { a: { inputs: { s: "open" } } },
    head: { a: { inputs: { s: "[secret]" } } },
    lines: ["~a s"],
  },
  {
    name: "nothing that the program ignores",
    base: { a: { inputs: { source: "1" }, with: { ignoreChanges: ["source"] } } },
    head: { a: { inputs: { source: "2" }, with: { ignoreChanges: ["source"] } } },
    lines: [],
  },
  {
    name: "nothing of the folder the project is in, and of what lies in an archive its hash only",
    base: { a: { inputs: { f: "/project/x", s: archive("/p") } } },
    head: { a: { inputs: { f: "./x", s: archive("/q") } } },
    lines: [],
  },
  {
    name: "made anew: triggers of a command, and what replaceOnChanges names",
    base: {
      a: { type: command, inputs: { triggers: [1], create: "x" } },
      b: { inputs: { v: [1] }, with: { replaceOnChanges: ["v[*]"] } },
    },
    head: {
      a: { type: command, inputs: { triggers: [2], create: "y" } },
      b: { inputs: { v: [2] }, with: { replaceOnChanges: ["v[*]"] } },
    },
    lines: ["!a triggers.0 create", "!b v.0"],
  },
  {
    name: "a command whose text changes, which is only updated",
    base: { a: { type: command, inputs: { create: "x" } } },
    head: { a: { type: command, inputs: { create: "y" } } },
    lines: ["~a create"],
  },
  {
    name: "a machine made anew with its disk, and what is replaced with it, but not what ignores it",
    base: machineOn({ size: 1 }),
    head: machineOn({ size: 2 }),
    lines: [
      "!disk size",
      "!machine disks (disk)",
      "!step triggers (machine)",
      "!object (step)",
      "~updated environment",
    ],
  },
  {
    name: "an object of Kubernetes, made anew by its name, updated by its data",
    base: {
      a: { type: "kubernetes:core/v1:ConfigMap", inputs: { metadata: { name: "a", labels: {} } } },
      b: { type: "kubernetes:core/v1:ConfigMap", inputs: { metadata: { name: "b" }, data: {} } },
    },
    head: {
      a: { type: "kubernetes:core/v1:ConfigMap", inputs: { metadata: { name: "c", labels: {} } } },
      b: {
        type: "kubernetes:core/v1:ConfigMap",
        inputs: { metadata: { name: "b" }, data: { k: "v" } },
      },
    },
    lines: ["!a metadata.name", "~b data.k"],
  },
];

describe("the difference of two previews", () => {
  for (const { name, base, head, lines } of cases) {
    it(`tells ${name}`, () => {
      const difference = differenceOf(previewed(base), previewed(head));
      const { created, changed, deleted } = difference;
      assert.deepEqual(
        [
          ...created.map((resource) => `+${resource.name}`),
          ...deleted.map((resource) => `-${resource.name}`),
          ...changed.map(({ resource, replaced, properties, because }) =>
            [
              `${replaced ? "!" : "~"}${resource.name}`,
              ...properties.map(({ path }) => path.join(".")),
              ...(because.length > 0 ? [`(${because.join(" ")})`] : []),
            ].join(" "),
          ),
        ],
        lines,
      );
      assert.equal(isNone(difference), lines.length === 0);
    });
  }

  for (const text of ["", "{", '{"steps": 5}', '{"steps": [{"op": "create"}]}']) {
    it(`is not made of something else: ${text}`, () =>
      assert.throws(() => readPreview(text, "/project"), /the engine's preview cannot be read/));
  }
});
