import assert from "node:assert/strict";
import { bakeOf } from "../../../components/windows/image/bake.ts";
import { replacesPrograms } from "../../../components/windows/program-change.ts";
import { scriptCommand } from "../../../components/windows/step-command.ts";
import type { Script } from "../../../components/windows/node-step.ts";
import { installContainerd, installKubernetes } from "../../../components/windows/steps.ts";
import { software } from "./windows-node-mocks.ts";

const sha = (digit: string): string => digit.repeat(64);

const folder = "C:\\kindows\\steps\\0123456789ab";

/** The command of a step with the image's own programs, but for what is changed. */
function commandOf(script: Script, change: object, from = folder): string {
  const { steps } = bakeOf(software, []);
  const { step, parameters } = steps.find((each) => each.step === script) ?? assert.fail();
  return scriptCommand(from, step, { ...parameters, ...change });
}
const containerd = (change: object = {}, from?: string): string =>
  commandOf(installContainerd, change, from);
const kubernetes = (change: object = {}): string => commandOf(installKubernetes, change);

describe("a step that runs again", () => {
  const crictl = { CrictlPath: "C:\\crictl.tar.gz", CrictlSha256: sha("e") };
  const cases: readonly (readonly [string, unknown, unknown, boolean])[] = [
    ["another containerd", containerd(), containerd({ Version: "2.3.4" }), true],
    ["another build of it", containerd(), containerd({ ArchiveSha256: sha("e") }), true],
    ["another Kubernetes", kubernetes(), kubernetes({ Version: "1.37.0" }), true],
    ["another build of kubelet", kubernetes(), kubernetes({ KubeletSha256: sha("e") }), true],
    ["another kube-log-runner", kubernetes(), kubernetes({ KubeLogRunnerSha256: sha("e") }), true],
    ["another kubeadm", kubernetes(), kubernetes({ KubeadmSha256: sha("e") }), false],
    ["an edited script", containerd(), containerd({}, "C:\\kindows\\steps\\f00000000000"), false],
    ["other mirrors", containerd(), containerd({ RegistryMirrors: "docker.io=https://m" }), false],
    ["a crictl", containerd(), containerd(crictl), false],
    ["nothing else", kubernetes(), kubernetes(), false],
    ["a command that is not known", containerd(), undefined, true],
  ];
  for (const [what, before, now, replaces] of cases) {
    it(`with ${what} ${replaces ? "replaces" : "does not replace"} what pods live on`, () =>
      assert.equal(replacesPrograms(before, now), replaces));
  }
});
