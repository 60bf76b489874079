import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { readPreview } from "../../../cli/preview-diff/previewed.ts";
import type { Previewed } from "../../../cli/preview-diff/previewed.ts";
import { check, needless, readAllowances } from "../../../policy/check.ts";
import { rules } from "../../../policy/rules.ts";
import { newFolder } from "../new-folder.ts";

const limits = { resources: 3, machineMemoryMiB: 8192, machineCpus: 4, machineDiskGiB: 60 };
const digest = `sha256:${"a".repeat(64)}`;
const domain = "libvirt:index/domain:Domain";
const volume = "libvirt:index/volume:Volume";
const remote = "command:remote:Command";
const daemonSet = "kubernetes:apps/v1:DaemonSet";

interface Given {
  readonly type: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly deletedWith?: string;
}

function previewed(given: readonly Given[]): Previewed {
  const steps = given.map(({ type, inputs = {}, deletedWith }, at) => ({
    op: "create",
    urn: `urn:pulumi:a::b::${type}::r${at}`,
    newState: { custom: true, type, inputs, deletedWith },
  }));
  return readPreview(JSON.stringify({ steps }), "/project");
}

const pod = (image: string): Given => ({
  type: daemonSet,
  inputs: { spec: { template: { spec: { containers: [{ image }], initContainers: [] } } } },
});
const command = (environment: Readonly<Record<string, unknown>>): Given => ({
  type: "command:local:Command",
  inputs: { environment },
});

const cases: readonly {
  readonly rule: string;
  readonly keeps: readonly (readonly Given[])[];
  readonly breaks: readonly (readonly [readonly Given[], RegExp])[];
}[] = [
  {
    rule: "images-by-digest",
    keeps: [
      [pod(`registry.example/x@${digest}`)],
      [pod(`x:v1@${digest}`)],
      [command({ CLUSTER: JSON.stringify({ image: "kindest/node:kindows-0123456789ab" }) })],
      [pod("[secret]"), pod("04da6b54-80e4-46f7-96ec-b56ff0331ba9")],
      // Not an image: how it is had, and a disk.
      [{ type: daemonSet, inputs: { imagePullPolicy: "IfNotPresent", imageHash: "x" } }],
    ],
    breaks: [
      [
        [pod("x:v1")],
        /^spec\.template\.spec\.containers\.0\.image is x:v1: name it as x:v1@sha256:<digest>$/,
      ],
      [[pod("x")], /x@sha256/],
      [[pod("x@sha256:abc")], /name it as x@sha256:<digest>/],
      [[command({ CLUSTER: '{"image":"kindest/node:v1.36.4"}' })], /environment\.CLUSTER\.image/],
      [[command({ CLUSTER: '{"image":"kindest/node:kindows-latest"}' })], /CLUSTER\.image/],
    ],
  },
  {
    rule: "no-clear-secrets",
    keeps: [
      [command({ PASSWORD: "[secret]", KUBECONFIG_CONTENT: "[secret]" })],
      [command({ KUBECONFIG_CONTENT: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" })],
      [command({ TOKEN: '{"ttlMinutes":60}', secretName: "x", PASSWORD: "" })],
    ],
    breaks: [
      [[command({ PASSWORD: "hunter2" })], /^environment\.PASSWORD has the name of a secret/],
      [[command({ NODE: '{"productKey":"AAAAA"}' })], /environment\.NODE\.productKey/],
      [
        [{ type: remote, deletedWith: "x", inputs: { create: "join abcdef.0123456789abcdef" } }],
        /^create holds a key or a token/,
      ],
      [
        [command({ X: "-----BEGIN PRIVATE KEY-----\nQUJD\n-----END PRIVATE KEY-----" })],
        /environment\.X holds a key/,
      ],
    ],
  },
  {
    rule: "deleted-with-machine",
    keeps: [[{ type: remote, deletedWith: "urn:x" }], [command({})]],
    breaks: [
      [[{ type: remote }], /has no deletedWith/],
      [[{ type: "command:remote:CopyToRemote" }], /has no deletedWith/],
    ],
  },
  {
    rule: "resource-budget",
    keeps: [
      [
        { type: domain, inputs: { memory: 4096, vcpu: 2 } },
        { type: domain, inputs: { memory: 4096, vcpu: 2 } },
        { type: volume, inputs: { size: 60 * 1024 ** 3 } },
      ],
      [{ type: domain, inputs: { memory: "3eeb2bf0-c639-47a8-9e75-3b44932eb421" } }],
    ],
    breaks: [
      [[command({}), command({}), command({}), command({})], /^4 resources, and 3 are allowed/],
      [[{ type: domain, inputs: { memory: 8193 } }], /8193 MiB.*raise machineMemoryMiB in policy/],
      [[{ type: domain, inputs: { vcpu: 5 } }], /5 virtual processors, and 4/],
      [[{ type: volume, inputs: { size: 60 * 1024 ** 3 + 1 } }], /61 GiB of disks, and 60/],
    ],
  },
  {
    rule: "no-open-listeners",
    keeps: [
      [command({ ROUTE: "0.0.0.0/0", A: "10.0.0.0", B: "192.168.0.0.0.0", C: "0.0.0.0.1" })],
      [command({ ADDRESS: "127.0.0.1:6443", TIME: "12:00::30" })],
    ],
    breaks: [
      [[command({ LISTEN: "0.0.0.0:6443" })], /environment\.LISTEN has 0\.0\.0\.0: .*127\.0\.0\.1/],
      [[command({ LISTEN: "--bind 0.0.0.0 --x" })], /has 0\.0\.0\.0/],
      [[command({ LISTEN: "http://[::]:80" })], /has \[::\]:80/],
      [
        [{ type: domain, inputs: { graphics: { listenAddress: "0.0.0.0" } } }],
        /graphics\.listenAddress/,
      ],
    ],
  },
];

describe("the policies", () => {
  it("each have their cases", () => {
    assert.deepEqual(
      cases.map(({ rule }) => rule),
      rules.map(({ name }) => name),
    );
  });

  for (const { rule, keeps, breaks } of cases) {
    const found = (given: readonly Given[]) =>
      check(previewed(given), { limits, exceptions: [] }).filter((each) => each.rule === rule);
    for (const given of keeps) {
      it(`${rule} is kept by ${JSON.stringify(given).slice(0, 100)}`, () =>
        assert.deepEqual(found(given), []));
    }
    for (const [given, message] of breaks) {
      it(`${rule} is broken by ${JSON.stringify(given).slice(0, 100)}`, () => {
        const findings = found(given);
        assert.equal(findings.length, 1);
        assert.match(findings[0]?.message ?? "", message);
        if (rule !== "no-clear-secrets") return;
        assert.doesNotMatch(JSON.stringify(findings), /hunter2|AAAAA|QUJD|0123456789abcdef/);
      });
    }
  }

  it("accept what an exception names, by rule and resource, and tell one that nothing needs", () => {
    const exceptions = [
      { rule: "images-by-digest", resource: "r0", reason: "no digest is published" },
      { rule: "no-open-listeners", resource: "r0", reason: "never was" },
    ];
    const findings = check(previewed([pod("x:v1"), pod("y:v1")]), { limits, exceptions });
    assert.deepEqual(
      findings.map(({ resource, accepted }) => [resource, accepted]),
      [
        ["r0", "no digest is published"],
        ["r1", undefined],
      ],
    );
    assert.deepEqual(needless(exceptions, findings), [exceptions[1]]);
  });

  describe("files", () => {
    let folder: string;
    beforeEach(async () => {
      folder = newFolder();
      await writeFile(path.join(folder, "limits.yaml"), JSON.stringify(limits));
      await writeFile(path.join(folder, "exceptions.yaml"), "[]");
    });

    it("of this project are right", async () => {
      const own = await readAllowances(path.resolve(import.meta.dirname, "../../../policy"));
      assert.ok(own.limits.resources > 0);
    });

    for (const [file, content, message] of [
      ["limits.yaml", "resources: 0", /limits\.yaml is wrong:[^]*resources[^]*machineCpus/],
      ["limits.yaml", JSON.stringify({ ...limits, more: 1 }), /"more"/],
      ["exceptions.yaml", "- rule: no-such-rule\n  resource: x\n  reason: y", /images-by-digest/],
      ["exceptions.yaml", "- rule: images-by-digest\n  resource: x\n  reason: ''", /reason/],
    ] as const) {
      it(`with a mistake are reported: ${content}`, async () => {
        await writeFile(path.join(folder, file), content);
        await assert.rejects(readAllowances(folder), message);
      });
    }
    it("may have no exception", async () => {
      await writeFile(path.join(folder, "exceptions.yaml"), "# none\n");
      assert.deepEqual((await readAllowances(folder)).exceptions, []);
    });
  });
});
