import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { types } from "../../../powershell/types.ts";
import { windowsCmdlets, windowsPowerShell } from "../../../rehearsal/windows/powershell.ts";
import { RegistryItems } from "../../../rehearsal/windows/registry.ts";
import { startWithSteps } from "./step-runner.ts";

const scripts = fileURLToPath(new URL("../../windows-runner/cmdlets", import.meta.url));
const recordings = fileURLToPath(new URL("cmdlet-recordings", import.meta.url));
const pages = ["docs/rehearsal.md", "rehearsal/host/README.md"];
const cases = readdirSync(scripts).filter((name) => /\..*\.ps1$/.test(name));

/** Scripts that test/windows-runner/Record-Cmdlets.ps1 runs on a real Windows. */
describe("The cmdlets of the model of Windows", () => {
  let host: RehearsalHost;
  before(async () => {
    host = await startWithSteps();
    await cp(scripts, join(host.driveC, "cmdlets"), { recursive: true });
  });
  after(() => host.stop());

  for (const name of cases) {
    it(`${name} runs, and gives what was recorded where it was`, async () => {
      let output = "";
      const add = (text: string): void => void (output += text);
      const powerShell = windowsPowerShell(
        host.windows,
        { output: add, error: add, input: () => Promise.resolve(Buffer.alloc(0)) },
        () => Promise.resolve(),
      );
      assert.equal(
        await powerShell.runFile(`C:\\cmdlets\\${name}`, [], () => undefined),
        0,
        output,
      );
      assert.match(output, /^\{"count":\d+,"values":\[.*\],"error":.*\}\r\n$/);
      const recording = join(recordings, name.replace(/\.ps1$/, ".json"));
      if (existsSync(recording)) {
        const [, line] = readFileSync(recording, "utf8").split("\n");
        assert.equal(output.trimEnd(), line);
      }
    });
  }

  it("says in the documents how many of them were compared with Windows", () => {
    const all = windowsCmdlets(host.windows, new RegistryItems(host.windows.registry, types), () =>
      Promise.resolve(),
    );
    const recorded = all.filter((each) =>
      readdirSync(recordings).some((file) => file.startsWith(`${each.name}.`)),
    );
    const said = `${recorded.length} of ${all.length} cmdlets`;
    for (const page of pages) {
      assert.ok(readFileSync(page, "utf8").includes(said), `${page} does not say "${said}"`);
    }
  });
});
