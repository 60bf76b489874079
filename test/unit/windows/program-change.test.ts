import assert from "node:assert/strict";
import { replacesPrograms } from "../../../components/windows/program-change.ts";
import { stepCommand } from "../../../components/windows/step-command.ts";

const sha = (digit: string): string => digit.repeat(64);

function containerd(change: object = {}, folder = "C:\\kindows\\steps\\0123456789ab"): string {
  return stepCommand(folder, "Install-Containerd", {
    Version: "2.3.4",
    ArchivePath: "C:\\kindows\\media\\a\\containerd.tar.gz",
    ArchiveSha256: sha("a"),
    PauseImage: "registry.k8s.io/pause:3.10.2",
    CniBinDirectory: "C:/opt/cni/bin",
    CniConfDirectory: "C:/etc/cni/net.d",
    RegistryMirrors: "",
    DefenderExclusions: 1,
    CrictlPath: "",
    CrictlSha256: "",
    ...change,
  });
}

function kubernetes(change: object = {}): string {
  return stepCommand("C:\\kindows\\steps\\0123456789ab", "Install-Kubernetes", {
    Version: "1.36.4",
    KubeletPath: "C:\\kindows\\media\\b\\kubelet.exe",
    KubeletSha256: sha("b"),
    KubeadmPath: "C:\\kindows\\media\\c\\kubeadm.exe",
    KubeadmSha256: sha("c"),
    KubeLogRunnerPath: "C:\\kindows\\media\\d\\kube-log-runner.exe",
    KubeLogRunnerSha256: sha("d"),
    DefenderExclusions: 1,
    AutomaticUpdates: 0,
    ...change,
  });
}

describe("a step that runs again", () => {
  const cases: readonly (readonly [string, unknown, unknown, boolean])[] = [
    ["another containerd", containerd(), containerd({ Version: "2.4.2" }), true],
    ["another build of it", containerd(), containerd({ ArchiveSha256: sha("e") }), true],
    ["another Kubernetes", kubernetes(), kubernetes({ Version: "1.37.0" }), true],
    ["another build of kubelet", kubernetes(), kubernetes({ KubeletSha256: sha("e") }), true],
    ["another kube-log-runner", kubernetes(), kubernetes({ KubeLogRunnerSha256: sha("e") }), true],
    ["another kubeadm", kubernetes(), kubernetes({ KubeadmSha256: sha("e") }), false],
    ["an edited script", containerd(), containerd({}, "C:\\kindows\\steps\\f00000000000"), false],
    ["other mirrors", containerd(), containerd({ RegistryMirrors: "docker.io=https://m" }), false],
    [
      "a crictl",
      containerd(),
      containerd({ CrictlPath: "C:\\crictl.tar.gz", CrictlSha256: sha("e") }),
      false,
    ],
    ["nothing else", kubernetes(), kubernetes(), false],
    ["a command that is not known", containerd(), undefined, true],
  ];
  for (const [what, before, now, replaces] of cases) {
    it(`with ${what} ${replaces ? "replaces" : "does not replace"} what pods live on`, () => {
      assert.equal(replacesPrograms(before, now), replaces);
    });
  }
});
