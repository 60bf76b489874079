import assert from "node:assert/strict";

import { differenceOf } from "../../../../cli/preview-diff/difference.ts";
import { documentMark, markdown, type StackReport } from "../../../../cli/preview-diff/markdown.ts";
import { type PreviewedResource, valueOf } from "../../../../cli/preview-diff/previewed.ts";

const title = { base: "main (1a2b3c4d5e)", head: "the change" };

function resource(name: string, inputs: Readonly<Record<string, unknown>>): PreviewedResource {
  return {
    ...{ urn: `urn::${name}`, type: "command:local:Command", name, parent: "" },
    inputs: valueOf(inputs, "/project") as PreviewedResource["inputs"],
    ...{ inputSources: {}, dependencies: [], ignored: [], replacing: [], replacedWith: [] },
  };
}

function report(
  before: readonly PreviewedResource[],
  after: readonly PreviewedResource[],
  further: Partial<StackReport> = {},
): StackReport {
  const difference = differenceOf(
    { resources: before, components: [], diagnostics: [] },
    { resources: after, components: [], diagnostics: [] },
  );
  return { stack: "dev", troubles: [], warnings: [], difference, ...further };
}

const body = (...reports: readonly StackReport[]): string =>
  markdown(title, reports).split("\n\n").slice(3, -1).join("\n\n");

describe("the document of a preview's difference", () => {
  it("shows each stack with what is deleted, replaced, changed and created", () => {
    const script = (line: string): string => `begin\n${"same\n".repeat(30)}${line}\nend`;
    assert.equal(
      body(
        report(
          [
            resource("gone", {}),
            resource("replaced", { triggers: ["1"], create: "x" }),
            resource("updated", {
              count: 1,
              on: true,
              script: script("old"),
              nested: { "a.b": [1] },
              secret: "open",
              made: "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
            }),
          ],
          [
            resource("replaced", { triggers: ["2"], create: "x" }),
            resource("updated", {
              count: 2,
              script: script("new"),
              nested: { "a.b": [1, { s: "[secret]" }] },
              secret: "[secret]",
              made: "",
            }),
            resource("new `one`", { secret: "[secret]" }),
          ],
        ),
      ),
      `## dev: 1 created, 1 changed, 1 replaced, 1 deleted

**Deleted**

- \`gone\` (command:local:Command)

**Replaced**

- \`replaced\` (command:local:Command)
  - \`triggers[0]\`: \`1\` → \`2\`, which replaces it

**Changed**

- \`updated\` (command:local:Command)
  - \`count\`: \`1\` → \`2\`
  - \`on\`: \`true\` (gone)
  - \`script\`: \`...ame ⏎ same ⏎ same ⏎ old ⏎ end\` → \`...ame ⏎ same ⏎ same ⏎ new ⏎ end\`
  - \`nested["a.b"][1]\`: \`{"s":"(secret)"}\` (new)
  - \`secret\`: \`open\` → *secret*
  - \`made\`: *known after up* → \`""\`

**Created**

- \`\` new \`one\` \`\` (command:local:Command)`,
    );
  });

  const whole: readonly (readonly [string, readonly StackReport[], RegExp])[] = [
    ["no stack", [], /^No stack is touched by this change\.$/m],
    ["no change", [report([], [])], /^## dev: no change$/m],
    ["a new stack", [report([], [resource("a", {})], { only: "head" })], /^The stack is new\.$/m],
    [
      "a stack that goes",
      [report([resource("a", {})], [], { only: "base" })],
      /^The stack goes: run `kindows down --stack dev` before/m,
    ],
    [
      "a preview that failed",
      [{ stack: "dev", troubles: ["head: `x` is wrong"], warnings: [] }],
      /\*\*It cannot be previewed:\*\*\n\n- ``head: `x` is wrong``/,
    ],
    [
      "a warning, which mentions nobody and is no markup",
      [report([], [], { warnings: ["ask @someone <b>"] })],
      /^> ask @\u200bsomeone \\<b\\>$/m,
    ],
  ];
  for (const [what, reports, expected] of whole) {
    it(`says ${what}`, () => {
      const document = markdown(title, reports);
      assert.match(document, expected);
      assert.ok(document.startsWith(`${documentMark}\n`));
    });
  }

  it("never holds a key or a token, wherever it comes from", () => {
    const document = markdown(title, [
      report(
        [resource("a", { text: "x" })],
        [resource("a", { text: "kubeadm join --token abcdef.0123456789abcdef" })],
        { warnings: ["client-key-data: QUJD", "-----BEGIN PRIVATE KEY-----\nQUJD"] },
      ),
    ]);
    assert.ok(!document.includes("0123456789abcdef") && !document.includes("QUJD"));
  });

  it("says what follows something that is replaced", () => {
    const follower = { ...resource("b", { x: "[secret]" }), inputSources: { x: ["urn::a"] } };
    assert.match(
      body(
        report(
          [resource("a", { triggers: [1] }), follower],
          [resource("a", { triggers: [2] }), follower],
        ),
      ),
      /^- `b` \(command:local:Command\)\n {2}- `x`: follows `a`$/m,
    );
  });

  it("fits into a comment", () => {
    const many = Array.from({ length: 3000 }, (_, at) => resource(`resource-${at}`, {}));
    const document = markdown(title, [report([], many)]);
    assert.ok(document.length < 65_536);
    assert.match(document, /\.\.\. and more: this document is cut at 60000 characters\.\n$/);
  });

  it("shows 20 properties of a resource, and how many more there are", () => {
    const inputs = (value: number): Record<string, number> =>
      Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`p${at}`, value]));
    const document = body(report([resource("a", inputs(1))], [resource("a", inputs(2))]));
    assert.equal(document.match(/`1` → `2`/g)?.length, 20);
    assert.match(document, /\.\.\. and 5 more properties/);
  });
});
