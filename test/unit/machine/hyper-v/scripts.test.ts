import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { hyperVScriptFiles } from "../../../../components/machine/hyper-v/scripts-folder.ts";
import { hyperVScriptNames } from "../../../../rehearsal/host/hyper-v/script-names.ts";
import {
  hyperVScripts as scripts,
  nodes,
  reachable,
  withDotSourced,
} from "../../windows/step-scripts.ts";

const runnable = scripts.filter((script) => script.isStep);

describe("scripts for a Hyper-V host", () => {
  it("are those that are rehearsed", () => {
    const names = runnable.map(({ name }) => name).sort();
    assert.deepEqual(names, [...hyperVScriptNames].sort());
  });

  it("come with all they dot-source, and with nothing else", () => {
    const used = runnable.flatMap((script) => withDotSourced(script).map(({ file }) => file));
    assert.deepEqual([...hyperVScriptFiles().files.keys()].sort(), [...new Set(used)].sort());
  });

  for (const script of runnable) {
    it(`${script.file} and its model tell the same errors`, () => {
      const model = ["behaviours", "lab-machines", "require-hyper-v"]
        .map((file) =>
          readFileSync(
            new URL(`../../../../rehearsal/host/hyper-v/${file}.ts`, import.meta.url),
            "utf8",
          ),
        )
        .join("\n");
      const plain = (text: string): string => text.replace(/\$\{?\(?[^"]*$/, "");
      const texts = reachable(script)
        .flatMap((node) => nodes(node, "command"))
        .filter((command) => command.text.startsWith("Stop-Step"))
        .flatMap((command) => [...command.text.matchAll(/-Message ['"]([^'"$]+)/g)])
        .map(([, text = ""]) => plain(text).trim())
        // These two are the frame's, and what only a real drive does.
        .filter((text) => !/^(Another step|The account)/.test(text) && text !== "");
      for (const text of texts) assert.ok(model.includes(text), text);
    });
  }

  it("write no identity where it could be read", () => {
    const told = scripts.flatMap((script) =>
      nodes(script.root, "command")
        .map((command) => command.text)
        .filter((command) => /^(Write-StepProgress|Stop-Step|New-StepResult)/.test(command))
        .filter((command) => /\$(identity|bytes|reading)\b(?!\.Length)/i.test(command)),
    );
    assert.deepEqual(told, []);
  });

  it("remove machines and folders only where their owner was looked at", () => {
    for (const { name, text } of runnable) {
      if (!text.includes("Remove-OwnMachine")) continue;
      assert.match(text, /Get-NamedMachine -MachineName \S+ -Site \$site -Owner \$Owner/, name);
    }
  });
});
