import assert from "node:assert/strict";

import { differenceOf, isNone } from "../../../../cli/preview-diff/difference.ts";
import { readPreview } from "../../../../cli/preview-diff/previewed.ts";
import type { Previewed } from "../../../../cli/preview-diff/previewed.ts";
import { eachCase } from "../../each-case.ts";

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

type Resources = Readonly<Record<string, Given>>;
/** One resource, of no kind that is special. */
const a = (inputs: Given["inputs"], more: Omit<Given, "inputs"> = {}): Resources => ({
  a: { ...more, inputs: inputs ?? {} },
});
const notCustom = { with: { custom: false } };
const ignored = { with: { ignoreChanges: ["source"] } };
const watched = (v: number): Given => ({
  inputs: { v: [v] },
  with: { replaceOnChanges: ["v[*]"] },
});
const environment = (t: number, same: string): Given["inputs"] => ({
  environment: { NODE: `{"name":"n","t":${t}}`, SAME: same },
});
const configMap = (inputs: Given["inputs"]): Given => ({
  ...{ type: "kubernetes:core/v1:ConfigMap", inputs: inputs ?? {} },
});
const veiled = a({ s: "[secret]", u: unknown });

/** What was, what is, and `+name`, `-name`, `~name path...`, `!name path... (because)`. */
const cases: Readonly<Record<string, readonly [Resources, Resources, lines: readonly string[]]>> = {
  "nothing where nothing changed": [{ a: {} }, { a: {} }, []],
  "created and deleted": [{ a: {} }, { b: {} }, ["+b", "-a"]],
  "components, which do nothing": [
    a({ x: 1 }, notCustom),
    { ...a({ x: 2 }, notCustom), b: notCustom },
    [],
  ],
  "properties by their paths: changed, new, gone": [
    a({ x: { y: [1, 2] }, gone: true }),
    a({ x: { y: [1, 3, 4] }, z: null }),
    ["~a x.y.1 x.y.2 gone z"],
  ],
  "JSON in texts, however it is written": [
    a(environment(1, '{"a":1}')),
    a(environment(2, '{ "a": 1 }')),
    ["~a environment.NODE.t"],
  ],
  "nothing that is secret or not known on both sides": [veiled, veiled, []],
  "what becomes a secret": [a({ s: "open" }), a({ s: "[secret]" }), ["~a s"]],
  "nothing that the program ignores": [
    a({ source: "1" }, ignored),
    a({ source: "2" }, ignored),
    [],
  ],
  "nothing of the folder the project is in, and of what lies in an archive its hash only": [
    a({ f: "/project/x", s: archive("/p") }),
    a({ f: "./x", s: archive("/q") }),
    [],
  ],
  "replaced: triggers of a command, and what replaceOnChanges names": [
    { ...a({ triggers: [1], create: "x" }, { type: command }), b: watched(1) },
    { ...a({ triggers: [2], create: "y" }, { type: command }), b: watched(2) },
    ["!a triggers.0 create", "!b v.0"],
  ],
  "a command whose text changes, which is only updated": [
    a({ create: "x" }, { type: command }),
    a({ create: "y" }, { type: command }),
    ["~a create"],
  ],
  "a machine replaced with its disk, and what is replaced with it, but not what ignores it": [
    machineOn({ size: 1 }),
    machineOn({ size: 2 }),
    [
      ...["!disk size", "!machine disks (disk)", "!step triggers (machine)", "!object (step)"],
      "~updated environment",
    ],
  ],
  "an object of Kubernetes, replaced by its name, updated by its data": [
    {
      a: configMap({ metadata: { name: "a", labels: {} } }),
      b: configMap({ metadata: { name: "b" }, data: {} }),
    },
    {
      a: configMap({ metadata: { name: "c", labels: {} } }),
      b: configMap({ metadata: { name: "b" }, data: { k: "v" } }),
    },
    ["!a metadata.name", "~b data.k"],
  ],
};

describe("the difference of two previews", () => {
  eachCase("tells %s", cases, ([base, head, lines]) => {
    const difference = differenceOf(previewed(base), previewed(head));
    const { created, changed, deleted } = difference;
    const told = changed.map(({ resource, replaced, properties, because }) => {
      const paths = properties.map(({ path }) => path.join("."));
      const why = because.length > 0 ? [`(${because.join(" ")})`] : [];
      return [`${replaced ? "!" : "~"}${resource.name}`, ...paths, ...why].join(" ");
    });
    const names = created.map(({ name }) => `+${name}`);
    assert.deepEqual([...names, ...deleted.map(({ name }) => `-${name}`), ...told], lines);
    assert.equal(isNone(difference), lines.length === 0);
  });

  for (const text of ["", "{", '{"steps": 5}', '{"steps": [{"op": "create"}]}']) {
    it(`is not made of something else: ${text}`, () =>
      assert.throws(() => readPreview(text, "/project"), /the engine's preview cannot be read/));
  }
});
