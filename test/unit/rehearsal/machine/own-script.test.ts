import assert from "node:assert/strict";
import { assertDone, assertFails, hostFor, runStep, scriptOnMachine } from "./step-runner.ts";

describe("Scripts of the user's on a node, rehearsed", () => {
  const machine = hostFor("each");

  const put = async (text: string): Promise<string> => {
    const { sha256, file } = scriptOnMachine(text);
    await machine.windows.drive.write(file, text);
    return sha256;
  };
  const run = (scripts: string, step = "Invoke-ScriptBeforeJoin", ...more: string[]) =>
    runStep(machine, step, ["-Scripts", `"${scripts}"`, ...more]);
  const appending = (word: string): string =>
    `$log = 'C:\\log.txt'\n$before = if (Test-Path -LiteralPath $log) { [IO.File]::ReadAllText($log) } else { '' }\n` +
    `[IO.File]::WriteAllText($log, $before + '${word} ')\n`;
  const log = () => machine.windows.drive.readText("C:\\log.txt");

  it("run in their order, and once with each content or once only", async () => {
    const [a, b] = [await put(appending("a")), await put(appending("b"))];
    const scripts = `a.ps1=${a}=once;b.ps1=${b}=changed`;
    await assertDone(run(scripts), true, { ran: ["a.ps1", "b.ps1"], skipped: [] });
    await assertDone(run(scripts), false, { ran: [], skipped: ["a.ps1", "b.ps1"] });
    const [a2, b2] = [await put(appending("a2")), await put(appending("b2"))];
    await assertDone(run(`a.ps1=${a2}=once;b.ps1=${b2}=changed`), true, {
      ran: ["b.ps1"],
      skipped: ["a.ps1"],
    });
    assert.equal(await log(), "a b b2 ");
    // One record for both times.
    await assertDone(run(`a.ps1=${a}=changed`, "Invoke-ScriptAfterJoin"), false);
    await assertDone(run(`a.ps1=${a2}=changed`, "Invoke-ScriptAfterJoin"), true);
    assert.equal(await log(), "a b b2 a2 ");
  });

  it("of which one fails stop the step, and the next run begins with that one", async () => {
    const [a, bad] = [
      await put(appending("a")),
      await put("[Console]::Error.WriteLine('no'); exit 3"),
    ];
    const failed = run(`a.ps1=${a}=changed;bad.ps1=${bad}=changed`);
    await assertFails(failed, "ScriptFailed", /exit code 3\. It wrote: no/, /your script bad\.ps1/);
    const good = await put(appending("good"));
    await assertDone(run(`a.ps1=${a}=changed;bad.ps1=${good}=changed`), true, {
      ran: ["bad.ps1"],
      skipped: ["a.ps1"],
    });
    assert.equal(await log(), "a good ");
  });

  it("that throw have failed", async () => {
    const bad = await put("throw 'out of luck'");
    await assertFails(run(`bad.ps1=${bad}=once`), "ScriptFailed", /out of luck/);
  });

  it("that do not end are ended", async () => {
    const slow = await put("Start-Sleep -Seconds 100000");
    const step = run(`slow.ps1=${slow}=once`, "Invoke-ScriptAfterJoin", "-TimeoutSeconds", "60");
    await assertFails(step, "CommandTimedOut", /did not end within 60 s/, /slow\.ps1/);
  });

  it("that are missing or damaged are not run", async () => {
    const a = await put(appending("a"));
    await assertFails(run(`a.ps1=${"0".repeat(64)}=once`), "MediumMissing");
    await machine.windows.drive.write(`C:\\kindows\\media\\${a}.ps1`, appending("x"));
    await assertFails(run(`a.ps1=${a}=once`), "ChecksumMismatch");
    assert.equal(await log(), undefined);
  });

  it("run again on a machine that was reset", async () => {
    const a = await put(appending("a"));
    await assertDone(run(`a.ps1=${a}=once`), true);
    await assertDone(runStep(machine, "Reset-Node"));
    await assertDone(run(`a.ps1=${a}=once`), true);
  });
});
