import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";

import { stackFolder } from "../../../cli/engine/folders.ts";
import {
  assertNothingForeign,
  assertOfThisVersion,
  foreignAmong,
  forgetLab,
  labIdIn,
  labIdOf,
  recordLab,
  type Proof,
} from "../../../cli/lab/proof.ts";
import type { HostResource } from "../../../components/host-resource.ts";
import { eachCase } from "../each-case.ts";
import { resource } from "./state-builder.ts";
import { recordedHost } from "./recorded-host.ts";

const lab = "kindows-victim";
const thing = (kind: string, more: Partial<HostResource> = {}): HostResource => ({
  kind,
  name: lab,
  lab,
  identity: `${kind} 1`,
  ...more,
});
const volume = thing("libvirt volume");
const folder = thing("pool folder", { mark: "" });
const domain = thing("libvirt domain", { mark: "ours" });
const unmarked = thing("docker network", { mark: "" });
const others = thing("docker network", { mark: "theirs" });
const own = thing("docker network", { mark: "ours" });
const elsewhere = thing("docker network", { lab: "kindows-victim-2", mark: "theirs" });
const notedByOthers = thing("kubeconfig entry", { isOurs: false });
const file = thing("file", { isOurs: true });

const begun: Proof = { lab, id: "ours", isBegun: true, made: new Set() };
const unknown: Proof = { ...begun, id: undefined, isBegun: false };
const shared: Proof = { ...begun, id: "of this clone", made: new Set(["docker network 1"]) };

describe("what has a lab's name on a host", () => {
  type Case = readonly [Proof, found: readonly HostResource[], foreign: readonly HostResource[]];
  const cases: Readonly<Record<string, Case>> = {
    "is foreign to a stack that has not begun it": [
      unknown,
      [volume, domain, unmarked],
      [volume, domain, unmarked],
    ],
    "is the stack's with its id, and what cannot carry one with it": [
      begun,
      [volume, domain, own],
      [],
    ],
    "is foreign without an id, where it could carry one": [
      begun,
      [volume, domain, unmarked],
      [volume, unmarked],
    ],
    "is foreign with another's id, though the stack has begun a lab of this name": [
      begun,
      [volume, domain, others],
      [volume, others],
    ],
    "is the stack's whose state has the network, which another clone has made": [
      shared,
      [volume, others],
      [],
    ],
    "is foreign in a folder without a pool, which nothing shows to be the stack's": [
      begun,
      [folder],
      [folder],
    ],
    "is the stack's in a folder whose pool is in the state": [
      { ...begun, made: new Set(["pool folder 1"]) },
      [folder, volume],
      [],
    ],
    "does not depend on a lab with a longer name": [begun, [domain, elsewhere], []],
    "is not in the way where it tells itself whose it is": [unknown, [notedByOthers, file], []],
  };
  eachCase("%s", cases, ([proof, found, foreign]) =>
    assert.deepEqual(foreignAmong(found, proof), foreign),
  );
});

describe("a lab on a host", () => {
  const stack = `proof-${process.pid}`;
  const record = path.join(stackFolder(stack), "lab.json");
  const withNetwork = (label: string) =>
    recordedHost({
      'docker network ls --no-trunc --filter name=^kindows- --format {{.ID}} {{.Name}} {{.Label "kindows.lab-id"}}': `f00d ${lab} ${label}\n`,
    });
  const refused = (label: string): Promise<void> =>
    assert.rejects(assertNothingForeign(stack, lab, withNetwork(label)), {
      name: "Failure",
      message:
        /leaves alone:\n {2}- docker network kindows-victim: docker network rm kindows-victim\n/,
    });
  afterEach(() => rm(stackFolder(stack), { recursive: true, force: true }));

  it("is left alone, with what removes it by hand, until the stack has begun it", async () => {
    await refused("");
    const id = await labIdOf(stack, []);
    await refused(id);
    recordLab(stack, lab, id);
    assert.equal(await labIdOf(stack, []), id);
    await assertNothingForeign(stack, lab, withNetwork(id));
    await refused("");
    await refused("fedcba9876543210");
    await forgetLab(stack);
    await refused(id);
  });

  const damaged = {
    empty: "",
    torn: `{"lab":"${lab}","i`,
    "filled with zero bytes": "\0".repeat(40),
    "of a newer version": '{"labs":[]}',
    "of another lab": '{"lab":"kindows-other","id":"0123456789abcdef"}',
  };
  eachCase("is not the stack's by a record that is %s", damaged, async (text) => {
    recordLab(stack, lab, "0123456789abcdef");
    await writeFile(record, text);
    await refused("");
  });
});

describe("a stack's state", () => {
  const network = resource("kindows:network:LabNetwork", "lab", { custom: false });
  const id = resource("command:local:Command", "of any name", {
    inputs: { triggers: ["kindows.lab-id"] },
    outputs: { stdout: "0123456789abcdef" },
  });

  it("of an earlier version is refused, with the way to a new lab", () =>
    assert.throws(() => assertOfThisVersion("dev", [network]), {
      name: "Failure",
      message: /the state of dev: .* `kindows down` removes the lab, and `kindows up` makes a new/,
    }));

  it("has the lab's id in what is marked so, and not in what is called so", () => {
    const called = resource("command:local:Command", "lab-id", { outputs: id.outputs });
    assert.equal(labIdIn([called]), undefined);
    assert.equal(labIdIn([called, id]), "0123456789abcdef");
  });

  it("of this version, or with no lab in it, is not", () => {
    assertOfThisVersion("dev", [network, id]);
    assertOfThisVersion("dev", []);
  });
});
