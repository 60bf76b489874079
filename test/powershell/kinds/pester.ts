/** The tests in test/pester. */
import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../../toolchain/project.ts";
import { type Kind, Judgement } from "../kind.ts";

/** A line of the results that Invoke-Tests.ps1 writes. */
interface Tested {
  readonly name: string;
  readonly result: "Passed" | "Failed" | "Skipped" | "NotRun" | "Inconclusive";
  readonly message: string;
}

/** Tests that fail in Wine, and why. */
const failInWine: Readonly<Record<string, string>> = {
  "Invoke-NativeCommand.gives the program no standard input to wait for": "Wine has no sort.exe",
  "Enter-StepLock.is not got while another process has it, and says so":
    "Wine gives a child without a window no console, and PowerShell does not start without one",
};

export const pester: Kind = {
  name: "pester",
  async judge(shell) {
    const judgement = new Judgement();
    const results = join(tmpdir(), `pester-${randomUUID()}.jsonl`);
    const script = join(projectRoot, "test/pester/Invoke-Tests.ps1");
    const ran = await shell.run({
      args: ["-File", shell.path(script), "-Results", shell.path(results)],
    });
    const text = await readFile(results, "utf8").catch(() => "");
    await rm(results, { force: true });
    const tests = text.split(/\r?\n/).filter((line) => line !== "");
    for (const line of tests) {
      const { name, result, message } = JSON.parse(line) as Tested;
      const inWine = shell.isWine ? failInWine[name] : undefined;
      if (inWine !== undefined && result === "Failed") judgement.skip(name, inWine);
      else if (inWine !== undefined)
        judgement.fail(name, "is expected to fail in Wine, and did not");
      else if (result === "Passed") judgement.pass();
      else if (result === "Skipped") judgement.skip(name, "not for this PowerShell");
      else judgement.fail(name, message || result);
    }
    if (judgement.passed === 0) {
      judgement.fail("all", `no test has run: ${(ran.stderr || ran.stdout).trim().slice(-1000)}`);
    }
    return judgement;
  },
};
