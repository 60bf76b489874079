import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { compareStack } from "../../../cli/commands/preview-diff.ts";
import { differenceOf, isNone } from "../../../cli/preview-diff/difference.ts";
import { Repository, touchedStacks } from "../../../cli/preview-diff/git.ts";
import { markdown, type StackReport } from "../../../cli/preview-diff/markdown.ts";
import { type Previewed, readPreview } from "../../../policy/previewed.ts";
import { assertGolden, assertSaid } from "../controlplane/golden.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";

const here = new URL(import.meta.url);
const stacks = ["dev", "rehearsal"];

describe("the stacks a change has to do with", () => {
  for (const [files, touched] of [
    [[], []],
    [["Pulumi.dev.yaml"], ["dev"]],
    [["Pulumi.dev.yaml", "README.md"], ["dev"]],
    [["Pulumi.gone.yaml"], []],
    [["Pulumi.dev.yaml", "Pulumi.rehearsal.yaml"], stacks],
    [["Pulumi.yaml"], stacks],
    [["index.ts"], stacks],
    [["components/windows/steps/Join-Node.ps1"], stacks],
    [["Pulumi.dev.yaml", "package-lock.json"], stacks],
    [["docs/cli.md", "components/windows/README.md", "test/unit/a.test.ts"], []],
    [[".github/workflows/preview.yaml", ".gitignore", "Makefile"], []],
    // Only at its own place is it what it is called.
    [["components/docs/x.ts"], stacks],
  ] as const) {
    it(`${files.join(", ") || "nothing"}: ${touched.join(", ") || "none"}`, () =>
      assert.deepEqual(touchedStacks(files, stacks), touched));
  }
});

interface Given {
  readonly type?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Further fields of the engine's new state. */
  readonly with?: Readonly<Record<string, unknown>>;
}
type Resources = Readonly<Record<string, Given>>;

const urn = (name: string): string => `urn:pulumi:a::kindows::x:y:Z::${name}`;

/** A preview as the engine prints it. */
function previewed(resources: Resources): Previewed {
  const steps = Object.entries(resources).map(
    ([name, { type = "x:y:Z", inputs = {}, ...given }]) => ({
      op: "create",
      urn: urn(name),
      newState: { custom: true, type, inputs, ...given.with },
    }),
  );
  return readPreview(JSON.stringify({ steps, diagnostics: [] }), "/project");
}

describe("the order of a preview's resources", () => {
  const made = (of: readonly string[], after: readonly string[] = []): Given => ({
    with: { propertyDependencies: { input: of.map(urn) }, dependencies: after.map(urn) },
  });
  const ordered = (resources: readonly (readonly [string, Given])[]): readonly string[] =>
    previewed(Object.fromEntries(resources)).resources.map(({ name }) => name);
  const lab = [
    ["win-1", made(["pool"])],
    ["win-1-ready", made([], ["win-1-join"])],
    ["win-1-join", made(["token", "win-1"])],
    ["win-10", made(["pool"])],
    ["win-2", made(["pool"])],
    ["token", {}],
    ["pool", {}],
  ] as const;
  const expected = ["pool", "token", "win-1", "win-1-join", "win-1-ready", "win-2", "win-10"];

  it("puts what a resource is made of before it, and else goes by name, not by the engine's order", () => {
    assert.deepEqual(ordered(lab), expected);
    assert.deepEqual(ordered(lab.toReversed()), expected);
    assert.deepEqual(ordered([...lab.slice(3), ...lab.slice(0, 3)]), expected);
  });

  it("ends where resources are made of each other, or of one that nobody tells", () => {
    const circle = [["b", made(["a"])] as const, ["a", made(["b", "gone"])] as const];
    assert.deepEqual(ordered(circle), ["b", "a"]);
  });
});

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const command = "command:local:Command";
const volume = "libvirt:index/volume:Volume";
const domain = "libvirt:index/domain:Domain";

/** Files in an archive, as the engine knows them. */
const archive = (place: string): object => ({
  "4dabf18193072939515e22adb298388d": "0def7320c3a5731c473e5ecbe6d01bc7",
  hash: "1",
  path: place,
});
const notCustom = { with: { custom: false } };
const ignored = { with: { ignoreChanges: ["source"] } };

describe("the difference of two previews", () => {
  /** A machine with a disk that is like this, and what follows from it. */
  const machineOn = (disk: object): Resources => ({
    disk: { type: volume, inputs: { ...disk } },
    other: {
      type: volume,
      inputs: { baseVolumeId: unknown },
      with: {
        propertyDependencies: { baseVolumeId: [urn("disk")] },
        ignoreChanges: ["baseVolumeId"],
      },
    },
    machine: {
      type: domain,
      inputs: { disks: [{ volumeId: unknown }] },
      with: { propertyDependencies: { disks: [urn("disk")] } },
    },
    step: {
      type: command,
      inputs: { triggers: [unknown] },
      with: { propertyDependencies: { triggers: [urn("machine")] } },
    },
    updated: {
      type: command,
      inputs: { environment: { X: unknown } },
      with: { propertyDependencies: { environment: [urn("machine")] } },
    },
    object: { with: { replaceWith: [urn("step")] } },
    deletedWith: { with: { deletedWith: urn("object") } },
  });

  /** One resource, of no kind that is special. */
  const a = (inputs: Given["inputs"], more: Omit<Given, "inputs"> = {}): Resources => ({
    a: { ...more, inputs: inputs ?? {} },
  });
  const watched = (v: number): Given => ({
    inputs: { v: [v] },
    with: { replaceOnChanges: ["v[*]"] },
  });
  const environment = (t: number, same: string): Given["inputs"] => ({
    environment: { NODE: `{"name":"n","t":${t}}`, SAME: same },
  });
  const configMap = (inputs: Given["inputs"]): Given => ({
    type: "kubernetes:core/v1:ConfigMap",
    inputs: inputs ?? {},
  });
  const veiled = a({ s: "[secret]", u: unknown });

  /** What was, what is, and `+name`, `-name`, `~name path...`, `!name path... (because)`. */
  const cases: Readonly<Record<string, readonly [Resources, Resources, lines: readonly string[]]>> =
    {
      "nothing where nothing changed": [{ a: {} }, { a: {} }, []],
      "created and deleted": [{ a: {} }, { b: {} }, ["+b", "-a"]],
      "components, which do nothing": [
        a({ x: 1 }, notCustom),
        { ...a({ x: 2 }, notCustom), b: notCustom },
        [],
      ],
      "properties by their paths: changed, new, gone": [
        a({ x: { y: [1, 2] }, gone: true }),
        a({ x: { y: [1, 3, 4] }, z: 0 }),
        ["~a gone x.y.1 x.y.2 z"],
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
        ["!a create triggers.0", "!b v.0"],
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
          ...["!deletedWith (object)", "!disk size", "!machine disks (disk)"],
          ...["!step triggers (machine)", "!object (step)", "~updated environment"],
        ],
      ],
      "an object of Kubernetes, replaced by its name and fixed data, updated by its labels": [
        {
          a: configMap({ metadata: { name: "a", labels: {} } }),
          b: configMap({ metadata: { name: "b" } }),
          data: configMap({ data: {} }),
        },
        {
          a: configMap({ metadata: { name: "c", labels: {} } }),
          b: configMap({ metadata: { name: "b", labels: {} } }),
          data: configMap({ data: { k: "v" } }),
        },
        ["!a metadata.name", "~b metadata.labels", "!data data.k"],
      ],
    };

  eachCase("tells %s", cases, ([base, head, lines]) => {
    const difference = differenceOf(previewed(base), previewed(head));
    const { created, changed, deleted } = difference;
    const reported = changed.map(({ resource, replaced, properties, because }) => {
      const paths = properties.map(({ keys }) => keys.join("."));
      const why = because.length > 0 ? [`(${because.join(" ")})`] : [];
      return [`${replaced ? "!" : "~"}${resource.name}`, ...paths, ...why].join(" ");
    });
    const names = created.map(({ name }) => `+${name}`);
    assert.deepEqual([...names, ...deleted.map(({ name }) => `-${name}`), ...reported], lines);
    assert.equal(isNone(difference), lines.length === 0);
  });

  for (const text of ["", "{", '{"steps": 5}', '{"steps": [{"op": "create"}]}']) {
    it(`is not made of something else: ${text}`, () =>
      assert.throws(() => readPreview(text, "/project"), /the engine's preview cannot be read/));
  }
});

const title = { base: "main (1a2b3c4d5e)", head: "the change" };

const of = (inputs: Given["inputs"]): Given => ({ type: command, inputs: inputs ?? {} });

function report(
  before: Resources,
  after: Resources,
  further: Partial<StackReport> = {},
): StackReport {
  const difference = differenceOf(previewed(before), previewed(after));
  return { stack: "dev", troubles: [], warnings: [], difference, ...further };
}

const body = (...reports: readonly StackReport[]): string =>
  markdown(title, reports).split("\n\n").slice(3, -1).join("\n\n");

describe("the document of a preview's difference", () => {
  it("shows each stack with what is deleted, replaced, changed and created", () => {
    const script = (line: string): string => `begin\n${"same\n".repeat(30)}${line}\nend`;
    const shown = report(
      {
        gone: of({}),
        replaced: of({ triggers: ["1"], create: "x" }),
        updated: of({
          count: 1,
          on: true,
          script: script("old"),
          nested: { "a.b": [1] },
          secret: "open",
          made: unknown,
        }),
      },
      {
        replaced: of({ triggers: ["2"], create: "x" }),
        updated: of({
          count: 2,
          script: script("new"),
          nested: { "a.b": [1, { s: "[secret]" }] },
          secret: "[secret]",
          made: "",
        }),
        "new `one`": of({ secret: "[secret]" }),
      },
    );
    assertGolden(here, "preview-diff.txt", body(shown));
  });

  const documents: Readonly<Record<string, readonly StackReport[]>> = {
    "no stack": [],
    "no change": [report({}, {})],
    "a new stack": [report({}, { a: of({}) }, { only: "head" })],
    "a stack that goes": [report({ a: of({}) }, {}, { only: "base" })],
    "a preview that failed": [{ stack: "dev", troubles: ["head: `x` is wrong"], warnings: [] }],
    "a warning, which mentions nobody and is no markup": [
      report({}, {}, { warnings: ["ask @someone <b>"] }),
    ],
  };
  it("says what there is to say of a stack, or that there is none", () =>
    assertSaid(here, "documents.txt", documents, (reports) => {
      const document = markdown(title, reports);
      assert.ok(document.startsWith("<!-- kindows preview-diff -->\n"));
      return document.split("\n\n").slice(3, -1).join("\n");
    }));

  it("never holds a key or a token, wherever it comes from", () => {
    const document = markdown(title, [
      report(
        { a: of({ text: "x" }) },
        { a: of({ text: "kubeadm join --token abcdef.0123456789abcdef" }) },
        { warnings: ["client-key-data: QUJD", "-----BEGIN PRIVATE KEY-----\nQUJD"] },
      ),
    ]);
    assert.ok(!document.includes("0123456789abcdef") && !document.includes("QUJD"));
  });

  it("fits into a comment", () => {
    const many = Array.from({ length: 3000 }, (_, at) => [`resource-${at}`, of({})] as const);
    const document = markdown(title, [report({}, Object.fromEntries(many))]);
    assert.ok(document.length < 65_536);
    assert.match(document, /\.\.\. and more: this document is cut off at 60000 characters\.\n$/);
  });
});

const salt = "encryptionsalt: v1:committed";

/** In the engine's place: a program with a setting, a secret and something that is known only when it is up. */
const standIn = String.raw`#!${process.execPath}
const { appendFileSync, readFileSync } = require("node:fs");
const args = process.argv.slice(2);
const written = args.includes("--config-file")
  ? readFileSync(args[args.indexOf("--config-file") + 1], "utf8")
  : "";
if (args[0] === "stack") {
  // As the engine does, which chooses how secrets are sealed.
  appendFileSync("Pulumi." + args.at(-1) + ".yaml", "encryptionsalt: v1:of stack init\n");
} else if (written.includes("v1:committed") || process.env.PULUMI_CONFIG_PASSPHRASE !== "") {
  console.log("the passphrase of these settings is asked for");
  process.exit(1);
} else {
  const size = Number(/size: (\d+)/.exec(written)[1]);
  const urn = (name) => "urn:pulumi:" + args.at(-1) + "::kindows::command:local:Command::" + name;
  const command = (name, inputs, from = {}) => ({
    op: "create",
    urn: urn(name),
    newState: { custom: true, type: "command:local:Command", inputs, propertyDependencies: from },
  });
  const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  const environment = { PASSWORD: "[secret]", SIZE: String(size) };
  const small = { severity: "error", message: process.cwd() + ": size is too small: use 3\n" };
  console.log(
    JSON.stringify({
      steps: [
        command("made", { create: "true", triggers: [size] }),
        command("uses", { create: unknown, environment }, { create: [urn("made")] }),
      ],
      diagnostics: size === 0 ? [small] : [],
    }),
  );
  process.exitCode = size === 0 ? 255 : 0;
}
`;

describe("the difference of two versions", () => {
  const folder = newFolder();
  const repository = new Repository(folder);
  let base: string;
  let report: (stack: string) => Promise<StackReport>;

  const git = async (...args: string[]): Promise<string> => {
    const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    const { stdout } = await promisify(execFile)("git", [...identity, ...args], { cwd: folder });
    return stdout.trim();
  };
  const write = (name: string, text: string): Promise<void> =>
    writeFile(path.join(folder, name), text);
  const settings = (stack: string, size: number): Promise<void> =>
    write(`Pulumi.${stack}.yaml`, `config:\n  kindows:size: ${size}\n${salt}\n`);

  before(async () => {
    await git("init", "--quiet");
    await write(".gitignore", "node_modules\n.kindows\nPulumi.mine.yaml\n");
    await mkdir(path.join(folder, "node_modules"));
    await write("package-lock.json", "{}");
    await write("Pulumi.yaml", "name: kindows\n");
    const program = path.join(folder, "node_modules", "pulumi");
    await writeFile(program, standIn, { mode: 0o755 });
    await settings("one", 1);
    await settings("two", 1);
    await git("add", ".");
    await git("commit", "--quiet", "--message", "base");
    base = await repository.commit("HEAD");

    await settings("one", 2);
    await settings("three", 3);
    await settings("mine", 4);
    await rm(path.join(folder, "Pulumi.two.yaml"));
    const tools = { program, environment: process.env, signal: new AbortController().signal };
    report = async (stack) => {
      const stacks = await repository.stacks(base);
      const head = { folder, stacks: await repository.stacks() };
      return repository.withTree(base, (tree) =>
        compareStack(stack, { base: { folder: tree, stacks }, head }, tools),
      );
    };
  });

  it("finds the stacks and files of both versions, but not what git ignores", async () => {
    assert.deepEqual(await repository.stacks(base), ["one", "two"]);
    assert.deepEqual(await repository.stacks(), ["one", "three"]);
    assert.deepEqual([...(await repository.changedSince(base))].sort(), [
      "Pulumi.one.yaml",
      "Pulumi.three.yaml",
      "Pulumi.two.yaml",
    ]);
  });

  it("tells what a change of settings does, by its properties", async () => {
    const document = markdown({ base: "main", head: "the change" }, [await report("one")]);
    assert.match(
      document,
      /## one: 1 changed, 1 replaced\n\n\*\*Replaced\*\*\n\n- `made` \(command:local:Command\)\n {2}- `triggers\[0\]`: `1` → `2`, which replaces it\n\n\*\*Changed\*\*\n\n- `uses` \(command:local:Command\)\n {2}- `environment\.SIZE`: `1` → `2`\n {2}- `create`: follows `made`\n/,
    );
  });

  it("writes nothing into the settings, and leaves nothing behind", async () => {
    assert.ok((await readFile(path.join(folder, "Pulumi.one.yaml"), "utf8")).endsWith(`${salt}\n`));
    assert.equal((await git("worktree", "list")).split("\n").length, 1);
    let tree = "";
    await assert.rejects(
      repository.withTree(base, (project) => {
        tree = project;
        return Promise.reject(new Error("in the middle"));
      }),
      /in the middle/,
    );
    await assert.rejects(access(tree), /ENOENT/);
    assert.equal((await git("worktree", "list")).split("\n").length, 1);
  });

  it("tells a stack that is new, and one that goes", async () => {
    const [fresh, going] = [await report("three"), await report("two")];
    assert.equal(fresh.only, "head");
    assert.deepEqual(
      fresh.difference?.created.map(({ name }) => name),
      ["made", "uses"],
    );
    assert.equal(going.only, "base");
    assert.equal(going.difference?.deleted.length, 2);
  });

  it("says what the program says, where it fails", async () => {
    await settings("one", 0);
    const failed = await report("one");
    assert.equal(failed.difference, undefined);
    assert.deepEqual(failed.troubles, ["head: .: size is too small: use 3"]);
  });
});
