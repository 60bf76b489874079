import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { setAllConfig } from "@pulumi/pulumi/runtime/config.js";

import { readSettingsFile, settingsIn } from "../../../cli/stack-settings.ts";
import { resolveExisting } from "../../../config/existing.ts";
import { problemText, SettingsError, type SettingsProblem } from "../../../config/problem.ts";
import { stackSections } from "../../../config/stack-sections.ts";
import { type BadCase, badCase, badCases, tables } from "./bad-settings/bad-cases.ts";

type Group = Record<string | number, unknown>;
type Key = string | number;

/** What a user writes where an error leaves the choice to him, by the last name of its place; `place` is its number. */
const answers: Readonly<Record<string, (place: number, value: unknown, path: string) => unknown>> =
  {
    name: (place) => `other-${place}`,
    path: () => "/srv/windows.qcow2",
    sha256: () => "0".repeat(64),
    productKey: () => "AAAAA-BBBBB-CCCCC-DDDDD-EEEEE",
    podCidr: () => "10.244.0.0/16",
    nodeCidr: () => "10.0.0.0/24",
    nodeImage: () => `kindest/node:v1.36.4@sha256:${"0".repeat(64)}`,
    key: () => "example.com/other",
    disk: () => "very-fast",
    v: () => "4",
    kubeProxyImage: () => "registry.example.com/kube-proxy:v1.36.4",
    failsafeInboundHostPorts: () => "tcp:22",
    cpus: () => 4,
    memoryMiB: () => 4096,
    diskGiB: () => 60,
    machineMemoryMiB: () => 65536,
    tokenTtlMinutes: () => 60,
    url: () => "https://example.com/file.zip",
    uri: (place) => `qemu+ssh://root@other-${place}/system`,
    hostKey: (place) => otherKey(place),
    privateKeyFile: () => "/home/me/key",
    privateKey: () => "-----BEGIN PRIVATE KEY-----\nMIGb\n-----END PRIVATE KEY-----\n",
    bridge: () => "br0",
    switch: () => "Lab",
    folder: () => "D:\\kindows",
    file: () => "/etc/kube.conf",
    kubeconfig: () => ({ file: "/etc/kube.conf" }),
    address: (place) => `192.168.1.${place + 10}`,
    nodeIp: (place) => `192.168.1.${place + 110}`,
    user: () => "jump",
    forwardPort: (place) => 21000 + place,
    dnsServers: () => "192.0.2.53",
    // What stands there in another shape than it has to.
    workers: () => [],
    bastions: () => [],
    nodes: (_, value) => Object.keys((value ?? { "win-1": {} }) as Group).map((name) => ({ name })),
    network: (_, value) => ({ cidr: value }),
    cni: (_, value) => ({ kind: value }),
    image: (_, value, path) =>
      path.startsWith("windows") ? { kind: "disk", path: value } : "D:\\image.vhdx",
    labels: () => ({ zone: "a" }),
    taints: () => [{ key: "os", value: "windows", effect: "NoSchedule" }],
    kubeletArgs: () => ({ "max-pods": "60" }),
    "quay.io": (_, value) => [`https://${String(value)}`],
  };

/** The public half of a key that nobody has, another one for each place. */
function otherKey(place: number): string {
  const head = Buffer.from("\0\0\0\x0bssh-ed25519\0\0\0\x20", "latin1");
  return `ssh-ed25519 ${Buffer.concat([head, Buffer.alloc(32, 200 + place)]).toString("base64")}`;
}

/**
 * The configuration changed by the errors' own words, by somebody who does exactly what they say.
 *
 * @throws when an error does not say enough to go by.
 */
function changedAsTold(
  config: Readonly<Record<string, unknown>>,
  problems: readonly SettingsProblem[],
): Record<string, unknown> {
  // Every part of its own: what an alias stands for twice is written twice.
  const root = JSON.parse(JSON.stringify(config)) as Group;
  // From the back, as what is taken out of a list moves what follows.
  for (const problem of inReverse(problems)) {
    apply(root, problem);
  }
  return root;
}

/** Later places of lists first; what is moved or renamed after all that is written; then whole entries go. */
function inReverse(problems: readonly SettingsProblem[]): SettingsProblem[] {
  const text = ({ path }: SettingsProblem): string =>
    path.map((key) => (typeof key === "number" ? String(key).padStart(4, "0") : key)).join("/");
  const rank = (problem: SettingsProblem): number =>
    target(problem.instead) !== undefined ? 1 : takesEntry(problem) ? 2 : 0;
  return [...problems].sort(
    (one, other) => rank(one) - rank(other) || (text(one) < text(other) ? 1 : -1),
  );
}

/** Whether not the value but what it is a part of shall go. */
function takesEntry({ path, instead }: SettingsProblem): boolean {
  return (
    /leave th(is|e) entry out|leave it out here|^List each host once/i.test(instead) ||
    (path.at(-1) === "name" && /^Leave one of them out/.test(instead))
  );
}

/** Where the words say that it belongs. */
function target(instead: string): Key[] | undefined {
  const found = /^(?:Did you mean|Move it to) kindows:(.+?)[?.](?: |$)/.exec(instead)?.[1];
  return found === undefined ? undefined : keysOf(found);
}

function keysOf(text: string): Key[] {
  return [...text.matchAll(/\["(.+?)"\]|\[(\d+)\]|([\w-]+)/g)].map(
    ([, quoted, place, plain]) => quoted ?? (place === undefined ? (plain ?? "") : Number(place)),
  );
}

function apply(root: Group, problem: SettingsProblem): void {
  const { path, place, value, why, instead } = problem;
  const from = at(root, path, place);
  const to = target(instead);
  if (to !== undefined || why === "is written as one key") {
    // Not as shown: of a secret nothing is.
    const moved = from.group[from.key];
    remove(from);
    const dotted = [...path.slice(0, -1), ...String(path.at(-1)).split(".")];
    write(root, to ?? dotted, moved);
    return;
  }
  const key = path.at(-1) ?? "";
  const here = from.group[from.key];
  if (typeof value === "string" && isKeyOf(here, value)) {
    // The complaint is about a key, not about what it stands for.
    const renamed = concrete(instead);
    if (typeof renamed === "string" && !/leave it out/i.test(instead)) {
      here[renamed] = here[value];
    }
    delete here[value];
  } else if (takesEntry(problem)) {
    remove(at(root, path.slice(0, -1), undefined));
  } else if (/^Keep one of them/.test(instead)) {
    const [, ...others] = why.match(/\b(file|text|privateKeyFile|privateKey|agent)\b/g) ?? [];
    others.forEach((other) => delete (here as Group)[other]);
  } else if (
    /leave (it|the line|one of them) out|leave them out\.|leave them out, or/i.test(instead) ||
    /one of them\.$/.test(instead)
  ) {
    remove(from);
  } else if (/: one of them, there or under/.test(instead)) {
    (here as Group)["agent"] = true;
  } else if (/^Write bastions: \[\] there/.test(instead)) {
    (here as Group)["bastions"] = [];
  } else if (/^Put it in quotes/.test(instead)) {
    from.group[from.key] = String(value);
  } else if (/without \? and #|^Leave them out: /.test(instead)) {
    from.group[from.key] = String(value).replace(/[?#].*/, "");
  } else if (/^Leave the login out/.test(instead)) {
    from.group[from.key] = String(value).replace(/\/\/.*@/, "//");
  } else if (/letters of it as capitals/.test(instead)) {
    from.group[from.key] = String(value).toUpperCase();
  } else if (/^Have at most/.test(instead)) {
    (here as unknown[]).splice(Number(/\d+/.exec(instead)?.[0]));
  } else if (
    typeof key === "number" &&
    typeof value === "string" &&
    /settings indented/.test(instead)
  ) {
    from.group[from.key] =
      path.at(-2) === "taints" ? { key: "a", effect: "NoExecute" } : { name: value };
  } else {
    const name = path.findLast((one) => typeof one === "string") ?? "";
    const number = Number(path.findLast((one) => typeof one === "number") ?? 0);
    const written = concrete(instead) ?? answers[name]?.(number, value, path.join("."));
    if (written === undefined) {
      throw new Error(`nothing to go by at ${path.join(".")}: ${instead}`);
    }
    write(root, path, written);
  }
}

/** What the words say to write, where they say it outright: the least that will do for everybody, or the first choice. */
function concrete(instead: string): unknown {
  const least =
    /needs (\d+) at least/.exec(instead)?.[1] ?? /^Write (\d+) or (more|less)/.exec(instead)?.[1];
  if (least !== undefined) {
    return Number(least);
  }
  const example = /\be\.g\. ["`]?([^\s,"`]+?)["`]?[.,;]?(?: |$)/.exec(instead)?.[1];
  const plain = /\b(?:[Ww]rite|quotes:|like) "?([^\s"]+?)"?(?:\.$|\. |, | or | alone)/.exec(
    instead,
  )?.[1];
  const text = example ?? (isWord(plain) ? undefined : plain);
  if (text === undefined) {
    return undefined;
  }
  return text === "true" || (/^\d+$/.test(text) && !instead.includes('"'))
    ? JSON.parse(text)
    : text;
}

/** Whether what follows `Write` is a part of the sentence, or stands for something, and is nothing to be written. */
function isWord(text: string | undefined): boolean {
  return (
    text === undefined ||
    /^(one|text:|path|a|the|its|what|more|that|file)$/.test(text) ||
    /\b(HOST|NAME|TAG|USER)\b/.test(text)
  );
}

interface Spot {
  readonly group: Group;
  readonly key: Key;
}

function at(root: Group, path: readonly Key[], place: string | undefined): Spot {
  if (place !== undefined) {
    return { group: root, key: place };
  }
  const [section, ...rest] = path;
  const keys = [`kindows:${String(section)}`, ...rest];
  const group = keys.slice(0, -1).reduce<Group>((one, key) => (one[key] ??= {}) as Group, root);
  return { group, key: keys.at(-1) ?? "" };
}

function write(root: Group, path: readonly Key[], value: unknown): void {
  const { group, key } = at(root, path, undefined);
  group[key] = value;
}

function remove({ group, key }: Spot): void {
  if (Array.isArray(group)) {
    group.splice(Number(key), 1);
  } else {
    delete group[key];
  }
}

function isKeyOf(group: unknown, key: string): group is Group {
  return typeof group === "object" && group !== null && !Array.isArray(group) && key in group;
}

/** What no table has the room for. */
const tooMany = badCase("more nodes than addresses", {
  settings: { nodes: Array.from({ length: 92 }, (_, place) => ({ name: `win-${place}` })) },
  "kindows:nodes":
    '"92 nodes" need more addresses than the 90 that are left. Have at most 90 nodes.',
});

const all: readonly BadCase[] = [...tables.flatMap(badCases), tooMany];

describe("bad settings", () => {
  for (const table of tables) {
    describe(table, () => {
      for (const one of badCases(table)) {
        check(one);
      }
    });
  }
  check(tooMany);

  it("show no password, no login and no key", () => {
    const secret = /Correct|Horse|27wpp/i;
    const reported = all.map((one) => errorOf(one.text, one).message).join("\n");
    assert.equal(secret.exec(reported), null);
    assert.ok(all.filter(({ text }) => secret.test(text)).length >= 10);
  });
});

/** The tests of a case. */
function check({ config, ...one }: BadCase): void {
  it(`${one.title}: every mistake in one go, with place, value, why and what instead`, () => {
    const { problems, message } = errorOf(one.text, one);
    assert.deepEqual(problems.map(problemText), one.problems);
    const [first, ...lines] = message.split("\n");
    const count = problems.length === 1 ? "1 mistake" : `${problems.length} mistakes`;
    assert.equal(first, `${count} in the settings (${fileOf(one)}); nothing was changed:`);
    assert.deepEqual(
      lines,
      one.problems.map((line) => `  - ${line}`),
    );
    assert.equal(new Set(lines).size, lines.length, "one is reported twice");
    for (const problem of problems) {
      assertWhole(problem.value, problem.why, problem.instead, problemText(problem));
    }
  });

  if (config === undefined) {
    return;
  }

  if (one.commandsOnly === undefined) {
    it(`${one.title}: the program says the same as the commands`, async () => {
      const reported = await errorOfProgram(config, one);
      assert.equal(asEmpty(reported), asEmpty(errorOf(one.text, one).message));
    });
  }

  it(`${one.title}: whoever does what the errors say has good settings`, () => {
    let changed = changedAsTold(config, errorOf(one.text, one).problems);
    if (one.later !== undefined) {
      changed = changedAsTold(changed, errorOf(asFile(changed), one).problems);
    }
    assert.doesNotThrow(() => settingsOf(asFile(changed), one));
  });
}

const fileOf = ({ stack }: Pick<BadCase, "stack">): string => `Pulumi.${stack}.yaml`;

const asFile = (config: Readonly<Record<string, unknown>>): string => JSON.stringify({ config });

/** What the commands make of a file. */
function settingsOf(text: string, { stack }: Pick<BadCase, "stack">): unknown {
  const source = { stack, file: fileOf({ stack }) };
  const file = readSettingsFile(text, source.file);
  const { kind, sections, strays } = stackSections(file.config, source.file);
  return kind === "lab"
    ? settingsIn(file, source)
    : resolveExisting(sections, source, [...file.outside, ...strays]);
}

function errorOf(text: string, one: Pick<BadCase, "stack">): SettingsError {
  try {
    settingsOf(text, one);
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    return error;
  }
  return assert.fail("these settings were taken");
}

/** The error of the program, which the engine hands the same file to: objects as JSON, text as it is, nothing as "". */
async function errorOfProgram(
  config: Readonly<Record<string, unknown>>,
  { stack }: Pick<BadCase, "stack">,
): Promise<string> {
  await pulumi.runtime.setMocks(
    { newResource: ({ name: id }) => ({ id, state: {} }), call: () => ({}) },
    "kindows",
    stack,
  );
  setAllConfig(
    Object.fromEntries(
      Object.entries(config).map(([key, value]) => [
        key,
        typeof value === "string" ? value : value === null ? "" : JSON.stringify(value),
      ]),
    ),
  );
  // As it loads the parts for existing machines itself: of what mocha loads, those would know nothing.
  const { loadStack } = await import("../../../config/load.ts");
  try {
    await loadStack();
  } catch (error) {
    // Of this kind of error the engine prints the message alone.
    assert.ok(pulumi.RunError.isInstance(error), String(error));
    return error.message;
  } finally {
    setAllConfig({});
  }
  return assert.fail("the program took these settings");
}

/** The engine hands over an empty text for nothing at all. */
function asEmpty(message: string): string {
  return message.replaceAll(': "" is empty', ": is empty");
}

/** Words that a sentence about what to write begins with. */
const imperative =
  /^(Add|Choose|Convert|Did you mean|Give|Have|Indent|Join|Keep|Leave|List|Machines cloned|Move|Put|Remove|Set|Start|Take|Unpack|Use|Write)\b/;

/** Places of a stack of existing machines that are secrets, or have some below. */
const holdsKeys = /^kindows:(cluster\.kubeconfig|(login|nodes\[\d\])(\.\w*key\w*)?): /i;

function assertWhole(value: unknown, why: string, instead: string, line: string): void {
  assert.match(
    line,
    /^(kindows:[\w[]|[a-z-]+:\w|config|confg|network|nodes|line \d+, column \d+|the whole file)/,
  );
  // A value that is there is shown, or its form, but for keys and what holds them; a missing one is called missing.
  const isMissing = /^(is missing|is empty|can't be read)/.test(why);
  if (value === undefined || value === null) {
    assert.ok(isMissing || holdsKeys.test(line), line);
  } else {
    assert.ok(!isMissing || value === "", line);
  }
  assert.match(why, /^[a-z].*[^.]$/, line);
  assert.match(instead, imperative, line);
  assert.match(instead, /[.?)]$/, line);
  assert.doesNotMatch(line, /undefined|\[object|null|See docs|Write \.$|[^.]\.\.$/, line);
  assert.ok(!line.includes("\n"), line);
}
