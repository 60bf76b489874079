import assert from "node:assert/strict";
import { parseVolume, unusedImages } from "../../../components/machine/actions/pool-volumes.ts";
import type { PoolVolume } from "../../../components/machine/actions/pool-volumes.ts";
import { eachCase } from "../each-case.ts";

const pool = "kindows-t";
const volume = (name: string, base?: string): PoolVolume => ({
  name,
  path: `/pool/${name}`,
  backing: base === undefined ? undefined : `/pool/${base}`,
});
const old = volume("kindows-t-000000000001.qcow2");
const current = volume("kindows-t-000000000002.qcow2");
const identity = volume("kindows-t-win-1-identity.iso");

describe("golden images of a pool", () => {
  const cases: Readonly<Record<string, readonly [PoolVolume[], string | undefined, string[]]>> = {
    "the one for new machines stays": [[current], current.name, []],
    "one that nothing stands on goes": [[old, current], current.name, [old.name]],
    "one that a machine stands on stays": [
      [old, current, volume("kindows-t-win-1.qcow2", old.name), identity],
      current.name,
      [],
    ],
    "all go with the lab": [[old, current, identity], undefined, [old.name, current.name]],
    "another one's disk stays": [
      [volume("somebody.qcow2"), volume("kindows-tt-000000000001.qcow2")],
      undefined,
      [],
    ],
    "none is fine": [[], current.name, []],
  };
  eachCase("%s", cases, ([volumes, keep, expected]) =>
    assert.deepEqual(unusedImages(pool, volumes, keep), expected),
  );

  it("of another kind in the same pool are others' business, both ways", () => {
    const linux = volume("kindows-t-linux-000000000003.qcow2");
    assert.deepEqual(unusedImages(pool, [current, linux], undefined), [current.name]);
    assert.deepEqual(unusedImages(`${pool}-linux`, [current, linux], undefined), [linux.name]);
  });

  it("reads an overlay's own path and the one behind it", () => {
    const xml = `<volume type='file'><name>kindows-t-win-1.qcow2</name>
      <target><path>/a&amp;b/kindows-t-win-1.qcow2</path></target>
      <backingStore><path>/a&amp;b/kindows-t-1.qcow2</path></backingStore></volume>`;
    assert.deepEqual(parseVolume(xml), {
      name: "kindows-t-win-1.qcow2",
      path: "/a&b/kindows-t-win-1.qcow2",
      backing: "/a&b/kindows-t-1.qcow2",
    });
  });

  it("reads a volume that stands on nothing", () => {
    const xml = "<volume><name>a.qcow2</name><target><path>/p/a.qcow2</path></target></volume>";
    assert.deepEqual(parseVolume(xml), { name: "a.qcow2", path: "/p/a.qcow2", backing: undefined });
  });
});
