import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { readPreview } from "../../../policy/previewed.ts";
import type { Previewed } from "../../../policy/previewed.ts";
import { check, needless, readAllowances } from "../../../policy/check.ts";
import { rules } from "../../../policy/rules.ts";
import { assertSaid } from "../controlplane/golden.ts";
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
  /** What is said of each is in golden/broken-rules.yaml. */
  readonly breaks: readonly (readonly Given[])[];
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
      [pod("x:v1")],
      [pod("x")],
      [pod("x@sha256:abc")],
      [command({ CLUSTER: '{"image":"kindest/node:v1.36.4"}' })],
      [command({ CLUSTER: '{"image":"kindest/node:kindows-latest"}' })],
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
      [command({ PASSWORD: "hunter2" })],
      [command({ NODE: '{"productKey":"AAAAA"}' })],
      [{ type: remote, deletedWith: "x", inputs: { create: "join abcdef.0123456789abcdef" } }],
      [command({ X: "-----BEGIN PRIVATE KEY-----\nQUJD\n-----END PRIVATE KEY-----" })],
    ],
  },
  {
    rule: "deleted-with-machine",
    keeps: [[{ type: remote, deletedWith: "urn:x" }], [command({})]],
    breaks: [[{ type: remote }], [{ type: "command:remote:CopyToRemote" }]],
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
      [command({}), command({}), command({}), command({})],
      [{ type: domain, inputs: { memory: 8193 } }],
      [{ type: domain, inputs: { vcpu: 5 } }],
      [{ type: volume, inputs: { size: 60 * 1024 ** 3 + 1 } }],
    ],
  },
  {
    rule: "no-open-listeners",
    keeps: [
      [command({ ROUTE: "0.0.0.0/0", A: "10.0.0.0", B: "192.168.0.0.0.0", C: "0.0.0.0.1" })],
      [command({ ADDRESS: "127.0.0.1:6443", TIME: "12:00::30" })],
    ],
    breaks: [
      [command({ LISTEN: "0.0.0.0:6443" })],
      [command({ LISTEN: "--bind 0.0.0.0 --x" })],
      [command({ LISTEN: "http://[::]:80" })],
      [{ type: domain, inputs: { graphics: { listenAddress: "0.0.0.0" } } }],
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

  const found = (rule: string, given: readonly Given[]) =>
    check(previewed(given), { limits, exceptions: [] }).filter((each) => each.rule === rule);

  for (const { rule, keeps } of cases) {
    it(`are kept: ${rule}`, () => {
      for (const given of keeps) assert.deepEqual(found(rule, given), []);
    });
  }

  it("say what breaks them, and no secret", async () => {
    const broken = cases.flatMap(({ rule, breaks }) =>
      breaks.map((given) => [`${rule}: ${JSON.stringify(given)}`, { rule, given }] as const),
    );
    const file = "broken-rules.yaml";
    await assertSaid(new URL(import.meta.url), file, Object.fromEntries(broken), (one) =>
      found(one.rule, one.given).map(({ message }) => message),
    );
  });

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
