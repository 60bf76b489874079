import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { setAllConfig } from "@pulumi/pulumi/runtime/config.js";
import { parse } from "yaml";
import { readSettingsFile, settingsIn } from "../../../cli/settings-file.ts";
import { loadSettings } from "../../../config/load.ts";
import { problemText, SettingsError } from "../../../config/problem.ts";
import { changedAsTold } from "./as-told.ts";

const folder = new URL("bad-settings/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
const source = { stack: "dev", file: "Pulumi.dev.yaml" };

const read = (name: string): string => readFileSync(new URL(name, folder), "utf8");

/** What the commands say of a file. */
function errorOf(text: string): SettingsError {
  try {
    settingsIn(readSettingsFile(text, source.file), source);
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    return error;
  }
  return assert.fail("these settings were taken");
}

/** The error of the program, which the engine hands the same file to: objects as JSON, text as it is, nothing as "". */
async function errorOfProgram(config: Readonly<Record<string, unknown>>): Promise<string> {
  setAllConfig(
    Object.fromEntries(
      Object.entries(config).map(([key, value]) => [
        key.includes(":") ? key : `kindows:${key}`,
        typeof value === "string" ? value : value === null ? "" : JSON.stringify(value),
      ]),
    ),
  );
  try {
    await loadSettings();
  } catch (error) {
    // Of this kind of error the engine prints the message alone.
    assert.ok(pulumi.RunError.isInstance(error), String(error));
    return error.message;
  }
  return assert.fail("the program took these settings");
}

/** Files of which the engine hands the program nothing, or not all: their mistakes are around the settings. */
const aroundSettings = [
  "aliases-without-end",
  "bad-indentation",
  "list-instead-of-config",
  "list-instead-of-file",
  "merge-conflict",
  "misspelt-config",
  "no-config-at-all",
  "section-twice",
  "sections-beside-config",
  "secret-in-a-broken-line",
  "tabs",
  "text-instead-of-file",
  "two-colons-in-a-line",
  "two-documents",
  "unclosed-bracket",
  "unclosed-quote",
  "unknown-anchor",
];

/** JSON has no such numbers: what the engine makes of them is its own. Of the encrypted it hands over what is in them. */
const otherwiseForTheEngine = ["huge-numbers", "encrypted"];

/** What can only be told once something else is right, by file; everything else is told the first time. */
const toldLater: Readonly<Record<string, string>> = {
  "everything-at-once": "whether an address is on a segment that is none",
  "image-of-an-unknown-kind": "which settings an image has, once it is of a kind",
  "keys-in-another-place": "what becomes of keys where they belong",
  "labels-and-taints": "that a corrected taint is like another one",
  "unknown-pod-network": "whether a network that is none needs a checksum",
};

const name = (file: string): string => file.replace(/\.yaml$/, "");

describe("bad settings files", () => {
  beforeEach(() =>
    pulumi.runtime.setMocks(
      { newResource: ({ name: id }) => ({ id, state: {} }), call: () => ({}) },
      "kindows",
      source.stack,
    ),
  );
  afterEach(() => setAllConfig({}));

  it("are forty or more, each with its errors beside it", () => {
    assert.ok(files.length >= 40, `${files.length} files`);
    const texts = readdirSync(folder).filter((one) => one.endsWith(".txt"));
    assert.deepEqual(
      texts.map((one) => one.replace(/\.txt$/, ".yaml")),
      files,
    );
    for (const one of [...aroundSettings, ...otherwiseForTheEngine, ...Object.keys(toldLater)]) {
      assert.ok(files.includes(`${one}.yaml`), `there is no ${one}.yaml any more`);
    }
  });

  for (const file of files) {
    it(`${name(file)}: every mistake in one go`, () => {
      const { message } = errorOf(read(file));
      const golden = new URL(`${name(file)}.txt`, folder);
      if (process.env["UPDATE_GOLDEN"] === "1") {
        writeFileSync(golden, `${message}\n`);
      }
      assert.equal(`${message}\n`, readFileSync(golden, "utf8"));
    });

    it(`${name(file)}: each with place, value, why and what instead`, () => {
      const { problems, message } = errorOf(read(file));
      const [first, ...lines] = message.split("\n");
      const count = problems.length === 1 ? "1 mistake" : `${problems.length} mistakes`;
      assert.equal(first, `${count} in the settings (Pulumi.dev.yaml); nothing was changed:`);
      assert.deepEqual(
        lines,
        problems.map((problem) => `  - ${problemText(problem)}`),
      );
      assert.equal(new Set(lines).size, lines.length, "one is told twice");
      for (const problem of problems) {
        assertWhole(problem.value, problem.why, problem.instead, problemText(problem));
      }
    });

    if (!aroundSettings.includes(name(file)) && !otherwiseForTheEngine.includes(name(file))) {
      it(`${name(file)}: the program says the same as the commands`, async () => {
        const { config } = (parse(read(file), { merge: true }) ?? {}) as {
          config?: Record<string, unknown> | null;
        };
        const told = await errorOfProgram(config ?? {});
        assert.equal(asEmpty(told), asEmpty(errorOf(read(file)).message));
      });
    }

    if (!aroundSettings.includes(name(file))) {
      it(`${name(file)}: whoever does as he is told has good settings`, () => {
        const { config } = (parse(read(file), { merge: true }) ?? {}) as {
          config?: Record<string, unknown> | null;
        };
        const told = changedAsTold(config ?? {}, errorOf(read(file)).problems);
        const take = (changed: Record<string, unknown>): unknown =>
          settingsIn(readSettingsFile(JSON.stringify({ config: changed }), source.file), source);
        if (toldLater[name(file)] === undefined) {
          assert.doesNotThrow(() => take(told));
        } else {
          const { problems } = errorOf(JSON.stringify({ config: told }));
          assert.doesNotThrow(() => take(changedAsTold(told, problems)));
        }
      });
    }
  }

  it("show no password, no login and no key", () => {
    const secret = /Correct|Horse|27wpp|27WPP/;
    const told = files.map((file) => errorOf(read(file)).message).join("\n");
    assert.equal(secret.exec(told), null);
    assert.ok(files.filter((file) => secret.test(read(file))).length >= 3);
  });
});

/** The engine hands over an empty text for nothing at all. */
function asEmpty(message: string): string {
  return message.replaceAll(': "" is empty', ": is empty");
}

/** Words that a sentence about what to write begins with. */
const imperative =
  /^(Add|Choose|Convert|Did you mean|Give|Have|Indent|Leave|Move|Put|Set|Start|Take|Use|Write)\b/;

function assertWhole(value: unknown, why: string, instead: string, line: string): void {
  assert.match(
    line,
    /^(kindows:[\w[]|[a-z-]+:\w|config|confg|network|nodes|line \d+, column \d+|the whole file)/,
  );
  // A value that is there is shown, or its form; a missing one is called missing.
  const absent = value === undefined || value === null || value === "";
  assert.equal(absent, /^(is missing|is empty|can't be read)/.test(why), line);
  assert.match(why, /^[a-z].*[^.]$/, line);
  assert.match(instead, imperative, line);
  assert.match(instead, /[.?)]$/, line);
  assert.doesNotMatch(line, /undefined|\[object|null|See docs|Write \.$|\.\.$/, line);
  assert.ok(!line.includes("\n"), line);
}
