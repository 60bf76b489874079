import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";

import type { ProgramResult } from "../../rehearsal/machine/programs.ts";
import { kubernetesVersion } from "../../toolchain/tools/table.ts";
import { testPrograms } from "./test-programs.ts";
import { WineMachine } from "./wine-machine.ts";

/** Values of what components/kubeproxy/start.ps1 only knows on a machine. */
interface KubeProxyFacts {
  readonly nodeName: string;
  /** The copy that the script makes. */
  readonly kubeconfig: string;
  /** Source address on an overlay network: the HNS endpoint's, or a reserved one. */
  readonly sourceVip: string;
}

/**
 * The arguments with which start.ps1 starts kube-proxy.exe on an overlay network, out of the script's own text.
 *
 * @throws where the script has an expression that is not known here.
 */
function kubeProxyArguments(script: string, facts: KubeProxyFacts): string[] {
  const list = /^\$arguments = @\(\n([^]*?)^\)$/m.exec(script)?.[1] ?? "";
  const added = [...script.matchAll(/^\s*\$arguments \+= (.+)$/gm)].map((match) => match[1] ?? "");
  const expressions = list
    .split("\n")
    .concat(added)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (expressions.length === 0) throw new Error("start.ps1 has no list $arguments");
  return expressions.map((expression) => {
    const literal = /^'([^']*)'$/.exec(expression)?.[1];
    if (literal !== undefined) return literal;
    const text = (/^"([^"]*)"$/.exec(expression)?.[1] ?? "$")
      .replace("$kubeconfig", facts.kubeconfig)
      .replace("$env:NODENAME", facts.nodeName)
      .replace("$sourceVip", facts.sourceVip);
    if (text.includes("$")) throw new Error(`start.ps1 has an unknown argument: ${expression}`);
    return text;
  });
}

const program = "C:\\kube-proxy\\kube-proxy.exe";
const kubeconfig = "C:\\kube-proxy\\kubeconfig.conf";

describe("kube-proxy.exe, as components/kubeproxy/start.ps1 starts it", () => {
  let machine: WineMachine;
  const script = readFileSync("components/kubeproxy/start.ps1", "utf8");
  const ours = kubeProxyArguments(script, {
    nodeName: "win-1",
    kubeconfig,
    sourceVip: "10.244.1.2",
  });

  before(async () => {
    machine = await WineMachine.start();
    const target = await machine.windows.drive.resolve(program);
    await mkdir(join(target, ".."), { recursive: true });
    await copyFile(join(testPrograms().kubeProxyWindows, "kube-proxy.exe"), target);
  });
  after(() => machine.stop());

  const start = (...further: string[]): Promise<ProgramResult> =>
    machine.run(program, [...ours, ...further]);

  /** It has taken its arguments when it looks for its kubeconfig, which only a pod has. */
  const assertTaken = ({ exitCode, stderr }: ProgramResult): void => {
    assert.equal(exitCode, 1);
    const [last = ""] = stderr.trimEnd().split("\n").slice(-1);
    assert.match(last, /command failed.*C:\\\\kube-proxy\\\\kubeconfig\.conf: /);
  };

  it("is of the cluster's version", async () => {
    const { stdout } = await machine.run(program, ["--version"]);
    assert.equal(stdout.trim(), `Kubernetes v${kubernetesVersion}`);
  });

  it("takes our arguments as they were meant", async () => {
    const result = await start();
    assertTaken(result);
    for (const [flag, value] of [
      ["hostname-override", "win-1"],
      ["proxy-mode", "kernelspace"],
      ["enable-dsr", "true"],
      ["source-vip", "10.244.1.2"],
      ["feature-gates", ""],
    ]) {
      assert.ok(result.stderr.includes(`FLAG: --${flag}="${value}"`), `${flag}=${value}`);
    }
    assert.doesNotMatch(result.stderr, /deprecated|will be removed/i);
  });

  it("still knows the feature gates of the image's own script, but warns that they will be removed; we set none", async () => {
    const result = await start("--feature-gates=WinDSR=true,WinOverlay=true");
    assertTaken(result);
    for (const gate of ["WinDSR", "WinOverlay"]) {
      assert.match(
        result.stderr,
        new RegExp(`It will be removed in a future release." featureGate="${gate}" value=true`),
      );
    }
  });

  it("refuses a flag that it had once", async () => {
    const { exitCode, stderr } = await start("--cleanup-iptables=true");
    assert.equal(exitCode, 1);
    assert.match(stderr, /unknown flag: --cleanup-iptables/);
  });
});
