import assert from "node:assert/strict";
import { hyperVScriptFiles } from "../../../../components/machine/hyper-v/scripts-folder.ts";
import { hyperVScripts as scripts, nodes, withDotSourced } from "../../windows/step-scripts.ts";

const runnable = scripts.filter((script) => script.isStep);

describe("scripts for a Hyper-V host", () => {
  it("come with all they dot-source, and with nothing else", () => {
    const used = runnable.flatMap((script) => withDotSourced(script).map(({ file }) => file));
    assert.deepEqual([...hyperVScriptFiles().files.keys()].sort(), [...new Set(used)].sort());
  });

  it("write no identity where it could be read", () => {
    const reported = scripts.flatMap((script) =>
      nodes(script.root, "command")
        .map((command) => command.text)
        .filter((command) => /^(Write-StepProgress|Stop-Step|New-StepResult)/.test(command))
        .filter((command) => /\$(identity|bytes|reading)\b(?!\.Length)/i.test(command)),
    );
    assert.deepEqual(reported, []);
  });

  it("remove machines and folders only where their owner was looked at", () => {
    for (const { name, text } of runnable) {
      if (!text.includes("Remove-OwnMachine")) continue;
      assert.match(text, /Get-NamedMachine -MachineName \S+ -Site \$site -Owner \$Owner/, name);
    }
  });
});
