import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { stepExitCodes } from "../../../rehearsal/host/step-error.ts";
import { stepNames } from "../../../rehearsal/host/step-names.ts";
import { flanneldCommandLine } from "../../../rehearsal/host/steps/flanneld-service.ts";
import { kubeletCommandLine } from "../../../rehearsal/host/steps/kubelet-service.ts";
import { goodArguments, joinInput, runStep, startWithSteps } from "./step-runner.ts";

const read = (file: string): string =>
  readFileSync(new URL(`../../../components/windows/steps/${file}`, import.meta.url), "utf8");

/** What a script's help says behind "Facts:". */
function documentedFacts(step: string): string {
  return /Facts: ([^]*?)\n\n/.exec(read(`${step}.ps1`))?.[1] ?? "";
}

describe("What the scripts and their rehearsal share", () => {
  it("exit codes", () => {
    const codes = [...read("lib/ExitCodes.ps1").matchAll(/^ {4}(\w+) += (\d+)$/gm)];
    assert.deepEqual(
      Object.fromEntries(codes.map(([, name, code]) => [name, Number(code)])),
      stepExitCodes,
    );
  });

  it("kubelet's command line", () => {
    const source = read("lib/KubeletService.ps1");
    const list = /@\(\n([^]*?)\$NodeArgument\n/.exec(source)?.[1] ?? "";
    const words = [...list.matchAll(/'([^']+)'/g)].map((match) => match[1]);
    assert.equal(words.join(" "), kubeletCommandLine([]));
  });

  it("flanneld's command line", () => {
    const list = /@\(\n([^]*?)\n {4}\) -join/.exec(read("lib/FlanneldService.ps1"))?.[1] ?? "";
    const words = [...list.matchAll(/'([^']+)'|"([^"]+)"/g)].map(([, one, other]) => one ?? other);
    assert.equal(words.join(" "), flanneldCommandLine("$NodeIp"));
  });

  it("what is taken out of Flannel's archives, and where it goes", () => {
    const source = read("Install-Flannel.ps1");
    const model = readFileSync(
      new URL("../../../rehearsal/host/steps/install-flannel.ts", import.meta.url),
      "utf8",
    );
    const taken = (text: string, assign: string): string[] =>
      [
        ...text.matchAll(
          new RegExp(`["']([\\w-]+\\.exe)["'] *${assign} *["']([\\w-]+\\.exe)["']`, "g"),
        ),
      ]
        .map(([, from = "", to = ""]) => `${from} as ${to}`)
        .sort();
    assert.equal(taken(source, "=").length, 5);
    assert.deepEqual(taken(model, ":"), taken(source, "="));
    const places = (text: string): string[] =>
      [...text.matchAll(/(?<=["'])C:\\{1,2}[^"']+(?=["'])/g)]
        .map(([path]) => path.replaceAll("\\\\", "\\"))
        .filter((path) => !path.includes("flanneld-service"))
        .sort();
    assert.deepEqual(new Set(places(model)), new Set(places(source)));
  });

  describe("facts of a result", () => {
    let host: RehearsalHost;
    before(async () => {
      host = await startWithSteps();
    });
    after(() => host.stop());

    for (const step of stepNames) {
      it(step, async () => {
        const result = await runStep(host, step, goodArguments(host)[step], joinInput);
        assert.equal(result.exitCode, 0, result.stderr);
        await host.up();
        const facts = Object.keys(result.facts).filter((name) => name !== "rehearsal");
        const documented = documentedFacts(step);
        assert.notEqual(documented, "");
        for (const name of facts) assert.match(documented, new RegExp(`\\b${name}\\b`));
        const names = documented.replace(/\([^)]*\)|\b(and|after|a|reboot)\b/g, "").match(/\w+/g);
        assert.deepEqual(facts.sort(), names?.sort());
      });
    }
  });
});
