import assert from "node:assert/strict";

import { identitySetting, readSettingsFile } from "../../../cli/stack-settings.ts";
import { problemText } from "../../../config/problem.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { stackSections } from "../../../config/stack-sections.ts";
import { eachCase } from "../each-case.ts";

const file = "Pulumi.x.yaml";

function settingsOf(text: string): unknown {
  const { config, outside } = readSettingsFile(text, file);
  const { sections, others } = stackSections(config, file, outside);
  return resolveSettings(sections, { stack: "x", file }, others);
}

describe("the settings that tell which lab is removed", () => {
  const wrong: Readonly<Record<string, readonly ["lab" | "hypervisor", "name" | "uri", unknown]>> =
    {
      "a name with a path in it": ["lab", "name", "../other"],
      "a name that begins another lab's": ["lab", "name", "a-"],
      "no text": ["lab", "name", 5],
      "an address elsewhere": ["hypervisor", "uri", "qemu+tcp://prod/system"],
    };
  eachCase("are checked even if others are wrong: %s", wrong, ([section, name, value]) =>
    assert.throws(
      () => identitySetting({ [section]: { [name]: value, x: 1 } }, section, name, "x"),
      {
        name: "Failure",
        message: /^kindows:(lab\.name|hypervisor\.uri) is wrong, which tells what lab this is: /,
      },
    ),
  );

  it("may be left out, also where their section is nonsense", () => {
    const good = { lab: { name: "a", x: 1 } };
    assert.equal(identitySetting(good, "lab", "name", "x"), "a");
    for (const sections of [{}, { lab: 5 }, { lab: [] }, { lab: null }]) {
      assert.equal(identitySetting(sections, "lab", "name", "x"), "x");
    }
  });
});

describe("a stack's file that nobody writes by accident", () => {
  const refused: Readonly<Record<string, readonly [text: string, said: RegExp]>> = {
    "a value that is a part of itself": [
      "config: &c\n  kindows:lab: *c\n",
      /the whole file: can't be read: a value is a part of itself\. Write the settings out/,
    ],
    "a list that is a part of itself": [
      "config:\n  kindows:nodes: &n [{ name: win-1 }, *n]\n",
      /a value is a part of itself/,
    ],
    "a label that JavaScript does not keep": [
      "config:\n  kindows:nodes: [{ name: win-1, labels: { __proto__: x } }]\n",
      /kindows:nodes\[0\]\.labels\.__proto__: "x" is no setting\. Leave it out\./,
    ],
    "an argument that JavaScript does not keep": [
      "config:\n  kindows:nodes: [{ name: win-1, kubeletArgs: { __proto__: x } }]\n",
      /kubeletArgs\.__proto__: "x" is no setting/,
    ],
    "a mirror that TOML takes for an escape": [
      "config:\n  kindows:nodes: [{ name: win-1 }]\n  kindows:windows: { registryMirrors: { docker.io: ['https://a\\b'] } }\n",
      /registryMirrors.* is not an address containerd can pull from/,
    ],
  };
  eachCase("is refused: %s", refused, ([text, said]) =>
    assert.throws(() => settingsOf(text), { name: "Failure", message: said }),
  );

  it("may have the same value at several places", () =>
    assert.doesNotThrow(() =>
      settingsOf(
        "config:\n  kindows:nodes: [{ name: win-1, labels: &l { a: b } }, { name: win-2, labels: *l }]\n",
      ),
    ));

  it("gets an answer to values of any length", () => {
    for (const value of ["a".repeat(1_000_000), "a:".repeat(500_000), "a://".repeat(250_000)]) {
      const text = problemText({
        path: ["lab", "name"],
        value,
        why: "is long",
        instead: "Cut it.",
      });
      assert.ok(text.length < 200, text.slice(0, 300));
    }
  });
});
