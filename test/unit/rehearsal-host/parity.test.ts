import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { stepExitCodes } from "../../../rehearsal/host/step-error.ts";
import { stepNames } from "../../../rehearsal/host/step-names.ts";
import { joinConfiguration } from "../../../rehearsal/host/steps/join-configuration.ts";
import { flanneldCommandLine } from "../../../rehearsal/host/steps/flanneld-service.ts";
import { kubeletCommandLine } from "../../../rehearsal/host/steps/kubelet-service.ts";
import { joinRemedy } from "../../../rehearsal/host/steps/kubeadm-join.ts";
import { hasJoinRemains } from "../../../rehearsal/host/steps/membership.ts";
import { nodeFolders } from "../../../rehearsal/host/steps/node-folders.ts";
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

  it("kubeadm's configuration of a join", () => {
    const source = read("lib/JoinConfiguration.ps1");
    const body = source.slice(source.indexOf("ConvertTo-Json"));
    const names = (text: string, pattern: RegExp): string[] =>
      [...text.matchAll(pattern)].map((match) => match[1] ?? "");
    const configuration = joinConfiguration({
      nodeName: "$NodeName",
      apiServerEndpoint: "$ApiServerEndpoint",
      criSocket: "$CriSocket",
      taints: "",
      secret: { token: "$Secret.token", caCertHashes: [] },
      timeoutSeconds: 300,
    });
    assert.deepEqual(names(configuration, /"(\w+)":/g), names(body, /^ *(\w+) += /gm));
    assert.match(source, /\$discoveryLimit = "\$\(\[math\]::Floor\(\$TimeoutSeconds \/ 3\)\)s"/);
    assert.match(body, /discovery += \$discoveryLimit$/m);
    assert.match(configuration, /"discovery": "100s"/);
    for (const value of ["kubeadm.k8s.io/v1beta4", "JoinConfiguration"]) {
      assert.ok(configuration.includes(`"${value}"`) && body.includes(`'${value}'`), value);
    }
    for (const [, name = "", value = ""] of configuration.matchAll(/"(\w+)": "(\$[\w.]+)"/g)) {
      assert.match(body, new RegExp(`^ *${name} += ${value.replace(/[$.]/g, "\\$&")}$`, "m"));
    }
  });

  it("the folders of a node", () => {
    const list = /\$NodeFolders = @\(\n([^]*?)\n\)/.exec(read("lib/NodeFolders.ps1"))?.[1] ?? "";
    assert.deepEqual(
      [...list.matchAll(/'([^']+)'/g)].map((match) => match[1]),
      nodeFolders,
    );
  });

  it("what to do about kubeadm's complaints", () => {
    const source = read("lib/KubeadmJoin.ps1");
    const pairs = [...source.matchAll(/^ {4}'([^']+)' +=\n {8}'((?:[^']|'')+)'$/gm)];
    assert.equal(pairs.length, 3);
    for (const [, complaint = "", remedy = ""] of pairs) {
      for (const alternative of complaint.split("|")) {
        assert.equal(joinRemedy(`... ${alternative} ...`), remedy.replaceAll("''", "'"));
      }
    }
  });

  it("what a join leaves behind", async () => {
    const source = read("lib/Membership.ps1");
    const list = /\$JoinRemains = @\(\n([^]*?)\n\)/.exec(source)?.[1] ?? "";
    const kubeconfig = /\$KubeletConfigPath = '([^']+)'/.exec(source)?.[1] ?? "";
    const paths = [kubeconfig, ...[...list.matchAll(/'([^']+)'/g)].map((match) => match[1] ?? "")];
    assert(paths.length > 3);
    const host = await startWithSteps();
    try {
      for (const path of paths) {
        await host.windows.drive.write(path, "x");
        assert.equal(await hasJoinRemains(host.windows), true, path);
        await host.windows.drive.remove(path);
        assert.equal(await hasJoinRemains(host.windows), false, path);
      }
    } finally {
      await host.stop();
    }
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
