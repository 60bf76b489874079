import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { officialSoftware } from "../../../components/windows/software.ts";
import { joinNode, reset } from "../../../components/windows/steps.ts";

/**
 * Numbers and names that others define, and that nothing here would miss if they were wrong: the model of Windows takes
 * them as they are. Each with where it is documented.
 */
const facts: readonly (readonly [what: string, file: string, text: RegExp, source: string])[] = [
  [
    "Calico's network External: its range, beyond those of pods",
    "components/windows/steps/lib/ExternalNetwork.ps1",
    /AddressPrefix {2}= '192\.168\.255\.0\/30'\s+GatewayAddress = '192\.168\.255\.1'/,
    "projectcalico/calico, node/windows-packaging/CalicoWindows/node/node-service.ps1",
  ],
  [
    "and its VSID",
    "components/windows/steps/lib/ExternalNetwork.ps1",
    /Type = 'VSID'; VSID = 9999 /,
    "projectcalico/calico, node/windows-packaging/CalicoWindows/node/node-service.ps1",
  ],
  [
    "VXLAN's UDP port on Windows",
    "components/windows/steps/Add-ExternalNetwork.ps1",
    /'OverlayTraffic4789UDP' -Protocol UDP -Port 4789 /,
    "kubernetes-sigs/sig-windows-tools; flannel's pkg/backend/vxlan/vxlan_windows.go",
  ],
  [
    "kubelet's API",
    "components/windows/steps/Install-Kubernetes.ps1",
    /-Name 'kubelet' -DisplayName 'kubelet' -Protocol TCP -Port 10250\)/,
    "kubernetes.io/docs/reference/networking/ports-and-protocols",
  ],
  [
    "ERROR_SHUTDOWN_IN_PROGRESS and ERROR_SHUTDOWN_IS_SCHEDULED",
    "components/windows/steps/lib/PendingReboot.ps1",
    /-SuccessExitCodes 0, 1115, 1190 /,
    "learn.microsoft.com/windows/win32/debug/system-error-codes--1000-1299-",
  ],
  [
    "ERROR_NO_SHUTDOWN_IN_PROGRESS",
    "components/windows/steps/lib/ExternalNetworkTask.ps1",
    /-ArgumentList '\/a' `\s+-TimeoutSeconds 30 -SuccessExitCodes 0, 1116 /,
    "learn.microsoft.com/windows/win32/debug/system-error-codes--1000-1299-",
  ],
  [
    "JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE",
    "components/windows/steps/lib/FlanneldHost.ps1",
    /BitConverter\.GetBytes\(0x2000\)/,
    "learn.microsoft.com/windows/win32/api/winnt/ns-winnt-jobobject_basic_limit_information",
  ],
  [
    "SYSTEM and BUILTIN\\Administrators, the only ones whom sshd lets own its keys",
    "components/windows/steps/lib/ProtectedFile.ps1",
    /'S-1-5-18', 'S-1-5-32-544'\)/,
    "learn.microsoft.com/windows-server/identity/ad-ds/manage/understand-security-identifiers",
  ],
  [
    "the built-in administrator, whatever it is called",
    "images/windows/scripts/lib/Sealing.ps1",
    /-like 'S-1-5-21-\*-500'/,
    "learn.microsoft.com/windows-server/identity/ad-ds/manage/understand-security-identifiers",
  ],
  [
    "the element's name behind a password in base64",
    "images/windows/scripts/lib/Sealing.ps1",
    /\+ 'AdministratorPassword'\)/,
    "learn.microsoft.com/windows-hardware/customize/desktop/unattend/microsoft-windows-shell-setup-useraccounts-administratorpassword-value",
  ],
  [
    "the power plan High performance",
    "images/windows/scripts/lib/ImageSettings.ps1",
    /'\/setactive', '8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c'/,
    "learn.microsoft.com/windows-hardware/customize/power-settings/configure-power-settings",
  ],
  [
    "SSH",
    "images/windows/scripts/lib/SshServer.ps1",
    /-Protocol TCP -Port 22\s/,
    "iana.org/assignments/service-names-port-numbers",
  ],
  [
    "the recovery partition's type in a GPT",
    "images/windows/scripts/lib/RecoveryPartition.ps1",
    /'\{de94bba4-06d1-4d40-a16a-bfd50179d6ac\}'/,
    "learn.microsoft.com/windows-hardware/manufacture/desktop/configure-uefigpt-based-hard-drive-partitions",
  ],
  [
    "and in an MBR, 0x27",
    "images/windows/scripts/lib/RecoveryPartition.ps1",
    /RecoveryMbrType = 39\s/,
    "learn.microsoft.com/windows-hardware/manufacture/desktop/configure-biosmbr-based-hard-drive-partitions",
  ],
  [
    "the variable with the network of kube-proxy",
    "components/kubeproxy/start.ps1",
    /\$env:KUBE_NETWORK = \$NetworkName/,
    "kubernetes/kubernetes, pkg/proxy/winkernel/proxier.go",
  ],
  [
    "kube-proxy's only mode on Windows",
    "components/kubeproxy/start.ps1",
    /'--proxy-mode=kernelspace'/,
    "kubernetes.io/docs/reference/networking/virtual-ips",
  ],
];

describe("what others define", () => {
  for (const [what, file, text, source] of facts) {
    it(`${what} (${source})`, () => {
      const found = readFileSync(file, "utf8").match(new RegExp(text, "g"));
      assert.equal(found?.length, 1, `${file} has ${text} ${found?.length ?? 0} times`);
    });
  }

  it("containerd's pipe (containerd, defaults/defaults_windows.go; kubeadm's form of it has npipe:)", () => {
    assert.equal(reset.values["CriSocket"], "npipe:////./pipe/containerd-containerd");
    assert.equal(joinNode.parameters.CriSocket, "string");
  });

  it("the first image of pods' sandboxes for Windows Server 2025 (kubernetes/kubernetes, build/pause/CHANGELOG.md)", () => {
    const known = { checksums: {}, lock: {}, folders: {} };
    const { pauseImage } = officialSoftware({ kubernetes: "1.36.4", containerd: "2.3.4" }, known);
    assert.equal(pauseImage, "registry.k8s.io/pause:3.10.2");
  });
});
