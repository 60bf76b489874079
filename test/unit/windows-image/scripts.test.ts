import assert from "node:assert/strict";
import { sealedPasswordMark } from "../../../components/windows/image/answer-file.ts";
import { firstScript } from "../../../components/windows/image/config-disc-paths.ts";
import { guestToolsFile } from "../../../components/windows/image/drivers.ts";
import { openSshFolder } from "../../../components/windows/image/open-ssh.ts";
import { imageScripts } from "../../../components/windows/image/scripts-folder.ts";
import { updateFile } from "../../../components/windows/image/update.ts";
import { sshFileNames } from "../../../components/windows/image/config-disc-content.ts";
import { imageScripts as scripts, nodes, withDotSourced } from "../windows/step-scripts.ts";

const steps = scripts.filter((script) => script.isStep);
const text = (file: string): string =>
  scripts.find((script) => script.file === file)?.text ?? assert.fail(`there is no ${file}`);

describe("scripts that make an image", () => {
  it("have no library the nodes' steps have, and use all of their own", () => {
    assert.ok(imageScripts().has("Initialize-Image.ps1"));
    assert.ok(imageScripts().has("lib/Step.ps1"));
    const used = new Set(steps.flatMap((step) => withDotSourced(step).map((each) => each.file)));
    const wrong = scripts.map(({ file }) => file).filter((file) => !used.has(file));
    assert.deepEqual(wrong, []);
  });

  it("take from the CD what is put there, by the same names", () => {
    assert.ok(steps.some((step) => step.file === firstScript));
    assert.match(text(firstScript), new RegExp(`media\\\\${guestToolsFile}'`));
    assert.match(text(firstScript), new RegExp(`media\\\\${openSshFolder}\\.zip'`));
    assert.match(text(firstScript), new RegExp(`media\\\\${updateFile}'`));
    const [, names = ""] = /\$names = (.*)/.exec(text("lib/SshServer.ps1")) ?? [];
    const found = [...names.matchAll(/'([^']+)'/g)].map((match) => match[1]);
    assert.deepEqual(found, [...sshFileNames]);
    assert.ok(text("lib/Sealing.ps1").includes(`'${sealedPasswordMark}'`));
  });

  it("are in a sealed image where Windows' setup looks for them", () => {
    const [, called = ""] =
      /-File \$FirstBootFolder\\([\w.-]+)/.exec(text("lib/FirstBoot.ps1")) ?? [];
    assert.ok(
      steps.some((step) => step.file === called),
      called,
    );
  });

  it("reboot a machine when Windows' setup, which starts them, has ended: not within it", () => {
    const [, seconds] =
      /Start-Reboot -DelaySeconds ([0-9]+)/.exec(text("Set-MachineIdentity.ps1")) ?? [];
    assert.ok(Number(seconds) >= 30, seconds);
  });

  it("look whether it is the task's turn before the step keeps the one of Windows' setup waiting", () => {
    const script = text("Set-MachineIdentity.ps1");
    const [look, step] = ["Test-FirstBootDue", "Invoke-Step -Name"].map((each) =>
      script.indexOf(each),
    );
    assert.ok(look !== undefined && step !== undefined && look > 0 && look < step);
  });

  it("close WinRM when no feature is added any more: that asks for it", () => {
    const closing = steps.filter(({ root }) =>
      nodes(root, "command").some((command) => command.text === "Stop-RemoteManagement"),
    );
    assert.deepEqual(
      closing.map(({ file }) => file),
      ["Complete-Image.ps1"],
    );
  });

  it("write no password and no key where it could be read", () => {
    const secrets = scripts.flatMap((script) =>
      nodes(script.root, "command")
        .map((command) => command.text)
        .filter((command) =>
          /^(Write-StepProgress|Write-SerialLine|Stop-Step|Invoke-NativeCommand)/.test(command),
        )
        .filter((command) =>
          /New-RandomPassword|\$secret|\$encoded|\$text\b|\$document|HostKey\b|AuthorizedKeys/.test(
            command,
          ),
        ),
    );
    assert.deepEqual(secrets, []);
  });
});
