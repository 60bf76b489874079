import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { setAllConfig } from "@pulumi/pulumi/runtime/config.js";

import { readSettingsFile } from "../../../cli/stack-settings.ts";
import { resolveExisting } from "../../../config/existing.ts";
import { problemText, SettingsError } from "../../../config/problem.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { stackSections } from "../../../config/stack-sections.ts";
import { type BadCase, badCase, badCases, tables } from "./bad-settings/bad-cases.ts";

/** What no table has the room for. */
const tooMany = badCase("more nodes than addresses", {
  settings: { nodes: Array.from({ length: 92 }, (_, place) => ({ name: `win-${place}` })) },
  "kindows:nodes":
    '"92 nodes" need more addresses than the 90 that are left in 192.168.150.0/24. Have at most 90 nodes there.',
});

const all: readonly BadCase[] = [...tables.flatMap(badCases), tooMany];

describe("bad settings", () => {
  for (const table of tables) {
    describe(table, () => {
      for (const one of badCases(table)) check(one);
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

  if (config !== undefined && one.commandsOnly === undefined) {
    it(`${one.title}: the program says the same as the commands`, async () => {
      const reported = await errorOfProgram(config, one);
      assert.equal(asEmpty(reported), asEmpty(errorOf(one.text, one).message));
    });
  }
}

const fileOf = ({ stack }: Pick<BadCase, "stack">): string => `Pulumi.${stack}.yaml`;

function settingsOf(text: string, { stack }: Pick<BadCase, "stack">): unknown {
  const source = { stack, file: fileOf({ stack }) };
  const { config, outside } = readSettingsFile(text, source.file);
  const { kind, sections, others } = stackSections(config, source.file, outside);
  const resolve = kind === "lab" ? resolveSettings : resolveExisting;
  return resolve(sections, source, others);
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

function asEmpty(message: string): string {
  return message.replaceAll(': "" is empty', ": is empty");
}

/** Words that a sentence about what to write begins with. */
const imperative =
  /^(Add|Choose|Convert|Did you mean|Give|Have|Indent|Join|Keep|Leave|List|Machines cloned|Move|Put|Remove|Set|Start|Take|Unpack|Use|Write)\b/;

/** Places of a stack of existing machines that are secrets, or have some below. */
const holdsKeys = /^kindows:(cluster\.kubeconfig|(login|nodes\[\d\](\.ssh)?)(\.\w*key\w*)?): /i;

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
