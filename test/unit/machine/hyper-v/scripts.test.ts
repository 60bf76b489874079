import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import {
  hyperVScriptFiles,
  hyperVScriptsSource,
} from "../../../../components/machine/hyper-v/scripts-folder.ts";
import { hyperVScripts } from "../../../../components/machine/hyper-v/script-parameters.ts";
import { hyperVScriptNames } from "../../../../rehearsal/host/hyper-v/script-names.ts";
import { stepExitCodes } from "../../../../rehearsal/host/step-error.ts";
import { checkFunctionHelp, checkPowerShell5, checkRules } from "../../windows/script-checks.ts";
import {
  declaredParameters,
  nodes,
  reachable,
  scripts as stepScripts,
  scriptsIn,
  withDotSourced,
  type StepScript,
} from "../../windows/step-scripts.ts";

const own = scriptsIn(hyperVScriptsSource);
const pool = [...own, ...stepScripts.filter((script) => !script.isStep)];
const scripts: readonly StepScript[] = own.map((script) => ({ ...script, pool }));
const runnable = scripts.filter((script) => script.isStep);

/** What every script can end with, by its frame. */
const always = ["Unexpected", "StepBusy", "NotAdministrator", "DiskFull"];

describe("scripts for a Hyper-V host", () => {
  checkRules(scripts);
  checkPowerShell5(scripts);
  checkFunctionHelp(scripts);

  it("are those that are called, and those that are rehearsed", () => {
    const names = runnable.map(({ name }) => name).sort();
    assert.deepEqual(names, Object.keys(hyperVScripts).sort());
    assert.deepEqual(names, [...hyperVScriptNames].sort());
  });

  it("come with all they dot-source, and with nothing else", () => {
    const sent = [...hyperVScriptFiles().files.keys()].sort();
    const used = new Set(
      runnable.flatMap((script) => [script, ...withDotSourced(script)].map(({ file }) => file)),
    );
    assert.deepEqual(sent, [...used].sort());
  });

  for (const script of runnable) {
    const known: Readonly<Record<string, "string" | "int">> =
      hyperVScripts[script.name as keyof typeof hyperVScripts];

    it(`${script.file} takes what it is given, all of it mandatory and checked`, () => {
      const declared = declaredParameters(script.root);
      assert.deepEqual(
        declared.map(({ name, type }) => [name, type.replace(/[[\]]/g, "")]),
        Object.entries(known),
      );
      for (const { name, mandatory, attributes } of declared) {
        assert.ok(mandatory, name);
        assert.ok(
          attributes.some((text) => text.startsWith("[Validate")),
          `${name} takes anything`,
        );
      }
    });

    it(`${script.file} documents each parameter, with its default and source`, () => {
      for (const name of Object.keys(known)) {
        const help = new RegExp(`\\n\\.PARAMETER ${name}\\n([^]*?)\\n\\n`).exec(script.text)?.[1];
        assert.match(
          help?.replaceAll("\n", " ") ?? "",
          /Default: none, mandatory\. Source: /,
          name,
        );
      }
    });

    it(`${script.file} documents the exit codes it can end with, and no others`, () => {
      const named = reachable(script)
        .flatMap((node) => nodes(node, "string_literal"))
        .map((literal) => literal.text.slice(1, -1))
        .filter((text) => text in stepExitCodes);
      const codes = [...new Set([...always, ...named])] as (keyof typeof stepExitCodes)[];
      const notes =
        /^Exit codes: ([\s\S]*?)\n#>/m.exec(script.text)?.[1]?.replaceAll("\n", " ") ?? "";
      assert.deepEqual(
        notes.replace(/\.$/, "").split("; ").toSorted(),
        [
          "0 done",
          "1 a parameter was rejected",
          ...codes.map((code) => `${stepExitCodes[code]} ${code}`),
        ].toSorted(),
      );
    });

    it(`${script.file} and its model tell the same facts, and the same errors`, () => {
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
      const [, facts = ""] = /-Facts \(\[ordered\]@\{([^]*?)\}\)/.exec(script.text) ?? [];
      const names = [...facts.matchAll(/(\w+) +=/g)].map(([, name]) => name);
      assert.ok(names.length > 0);
      const documented = /Facts: ([^]*?)\n\n/.exec(script.text)?.[1] ?? "";
      for (const name of names) assert.match(documented, new RegExp(`\\b${name}\\b`));
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
