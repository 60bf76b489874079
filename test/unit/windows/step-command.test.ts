import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mediumPath } from "../../../components/windows/media-folder.ts";
import { quoteForCmd, stepCommand } from "../../../components/windows/step-command.ts";
import type { StepArguments, StepName } from "../../../components/windows/step-parameters.ts";
import { throughCmd, toArgv } from "./command-line.ts";

const folder = "C:\\kindows\\steps\\0123456789ab";
const variables = { TEMP: "C:\\Temp", a: "replaced", "": "replaced" };

describe("quoting for cmd.exe", () => {
  const exact: readonly (readonly [string, string])[] = [
    ["", '""'],
    ["win-1", "win-1"],
    ["192.168.150.10", "192.168.150.10"],
    [
      "https://dl.k8s.io/v1.36.4/bin/windows/amd64/kubelet.exe",
      "https://dl.k8s.io/v1.36.4/bin/windows/amd64/kubelet.exe",
    ],
    ["npipe:////./pipe/containerd-containerd", "npipe:////./pipe/containerd-containerd"],
    ["C:\\Program Files\\containerd", '"C:\\Program Files\\containerd"'],
    ["a=1;b=2", '"a=1;b=2"'],
    ["a=b,c=d", '"a=b,c=d"'],
    ["100%", '"100"^%""'],
  ];
  for (const [value, quoted] of exact) {
    it(`writes ${JSON.stringify(value)} as ${quoted}`, () => {
      assert.equal(quoteForCmd(value), quoted);
    });
  }

  const nasty = [
    "",
    " ",
    "a b",
    "a & calc.exe",
    "a|b",
    "a>b<c",
    "a^b",
    "(a)",
    "a;b,c=d",
    "%TEMP%",
    "%a%%TEMP%",
    "50%",
    "%%",
    "!a!",
    "'a'",
    "`a`",
    "$(a)",
    "@a",
    "a\\",
    "a b\\",
    "a b\\\\",
    "\\\\server\\share name\\",
    "a\\%TEMP%\\",
    "a*?b",
    "{a}[b]~",
    "#a",
    "/c del",
  ];
  for (const value of nasty) {
    it(`carries ${JSON.stringify(value)} to the script unchanged`, () => {
      const command = `x.exe -Name ${quoteForCmd(value)} -Last 1`;
      assert.deepEqual(toArgv(throughCmd(command, variables)), [
        "x.exe",
        "-Name",
        value,
        "-Last",
        "1",
      ]);
    });
  }

  const refused: readonly (readonly [string, RegExp])[] = [
    ['a"b', /double quote/],
    ["a\nb", /control character/],
    ["a\rb", /control character/],
    ["a\tb", /control character/],
    ["a\0b", /control character/],
    ["\x7f", /control character/],
    ["ä", /beyond ASCII/],
    ["\u2013Name", /beyond ASCII/],
    ["-Name", /begins with a dash/],
  ];
  for (const [value, message] of refused) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      assert.throws(() => quoteForCmd(value), message);
    });
  }
});

describe("commands of steps", () => {
  const sha = (digit: string): string => digit.repeat(64);
  const golden: { readonly [S in StepName]: StepArguments<S> } = {
    "Test-WindowsHost": {
      ComputerName: "win-1",
      MinimumBuild: 20348,
      MinimumRevision: 2762,
      MinimumFreeDiskGiB: 20,
      MinimumMemoryMiB: 2048,
      PodNetwork: "calico",
    },
    "Enable-ContainersFeature": { RebootDelaySeconds: 5 },
    "Confirm-Reboot": {},
    "Set-MachineProxy": {
      HttpProxy: "",
      HttpsProxy: "http://proxy.example.com:3128",
      NoProxy: "localhost,127.0.0.1,.svc,192.168.150.0/24",
    },
    "Install-Containerd": {
      Version: "2.4.2",
      ArchivePath: mediumPath(sha("a"), "containerd-2.4.2-windows-amd64.tar.gz"),
      ArchiveSha256: sha("a"),
      PauseImage: "registry.k8s.io/pause:3.10.2",
      CniBinDirectory: "C:/opt/cni/bin",
      CniConfDirectory: "C:/etc/cni/net.d",
      RegistryMirrors:
        "docker.io=https://mirror.example.com;example.com:5000=https://a.test,https://b.test/x",
      DefenderExclusions: 1,
      CrictlPath: mediumPath(sha("e"), "crictl-v1.36.0-windows-amd64.tar.gz"),
      CrictlSha256: sha("e"),
    },
    "Add-ContainerImage": {
      Images: "registry.k8s.io/pause:3.10.2,quay.io/calico/node-windows:v3.32.1",
      Proxy: "http://127.0.0.1:3128",
      TimeoutSeconds: 600,
    },
    "Install-Kubernetes": {
      Version: "1.36.4",
      KubeletPath: mediumPath(sha("b"), "kubelet.exe"),
      KubeletSha256: sha("b"),
      KubeadmPath: mediumPath(sha("c"), "kubeadm.exe"),
      KubeadmSha256: sha("c"),
      KubeLogRunnerPath: mediumPath(sha("d"), "kube-log-runner.exe"),
      KubeLogRunnerSha256: sha("d"),
      DefenderExclusions: 0,
      AutomaticUpdates: 0,
    },
    "Install-Flannel": {
      NodeName: "win-1",
      NodeIp: "192.168.150.10",
      NetConf: "eyJOZXR3b3JrIjoiMTAuMjQ0LjAuMC8xNiJ9",
      CniConf: "eyJuYW1lIjoiZmxhbm5lbC40MDk2In0=",
      DaemonPath: mediumPath(sha("a"), "flannel-v0.28.9-windows-amd64.tar.gz"),
      DaemonSha256: sha("a"),
      PluginPath: mediumPath(sha("b"), "cni-plugin-flannel-windows-amd64-v1.9.1-flannel3.tgz"),
      PluginSha256: sha("b"),
      CniPluginsPath: mediumPath(sha("c"), "cni-plugins-windows-amd64-v1.9.1.tgz"),
      CniPluginsSha256: sha("c"),
    },
    "Add-ExternalNetwork": { Address: "192.168.150.10", DelaySeconds: 5, Network: "External" },
    "Confirm-ExternalNetwork": {
      Address: "192.168.150.10",
      DelaySeconds: 5,
      Network: "flannel.4096",
    },
    "Set-HostsEntry": {
      Entry: "192.168.150.128=kindows-dev-control-plane;192.168.150.129=kindows-dev-lb",
      DnsServers: "1.1.1.1,8.8.8.8",
    },
    "Join-Node": {
      NodeName: "win-1",
      ApiServerEndpoint: "kindows-dev-control-plane:6443",
      CriSocket: "npipe:////./pipe/containerd-containerd",
      NodeIp: "192.168.150.10",
      NodeLabels: "example.com/pool=a,example.com/zone=",
      NodeTaints: "os=windows:NoSchedule,example.com/busy:NoExecute",
      KubeletArgs: "eviction-hard=memory.available<200Mi max-pods=60",
      TimeoutSeconds: 300,
    },
    "Set-ClusterRoute": {
      Route: "10.244.0.0/16=192.168.150.128;10.96.0.0/16=192.168.150.128",
    },
    "Export-NodeLog": { TailKiB: 1024 },
    "Reset-Node": { CriSocket: "npipe:////./pipe/containerd-containerd", TimeoutSeconds: 300 },
  };

  it("are as written in golden/commands.txt", () => {
    const commands = Object.entries(golden).map(([step, values]) =>
      stepCommand(folder, step as StepName, values as StepArguments<StepName>),
    );
    const file = new URL("golden/commands.txt", import.meta.url);
    assert.equal(`${commands.join("\n")}\n`, readFileSync(file, "utf8"));
  });

  it("put a folder with blanks between quotes", () => {
    assert.match(
      stepCommand("C:\\my steps", "Confirm-Reboot", {}),
      / -File "C:\\my steps\\Confirm-Reboot\.ps1"$/,
    );
  });

  const entry = (length: number): StepArguments<"Set-HostsEntry"> => ({
    Entry: "a".repeat(length),
    DnsServers: "",
  });
  const overhead =
    '"C:\\Windows\\System32\\cmd.exe" /c ""'.length +
    stepCommand(folder, "Set-HostsEntry", entry(1)).length -
    1;

  it("may fill cmd.exe's 8191 characters", () => {
    assert.doesNotThrow(() => stepCommand(folder, "Set-HostsEntry", entry(8191 - overhead)));
  });

  it("may not be one character longer; the error names the step, the limit and the longest parameter", () => {
    assert.throws(
      () => stepCommand(folder, "Set-HostsEntry", entry(8192 - overhead)),
      /^Error: Set-HostsEntry: the command is 8192 characters long, cmd\.exe takes 8191; shorten Entry/,
    );
  });

  const wrong: readonly (readonly [string, () => string, RegExp])[] = [
    [
      "a value that can't be carried, without repeating it",
      () => stepCommand(folder, "Set-HostsEntry", { Entry: 'se"cret', DnsServers: "" }),
      /^Error: Set-HostsEntry: parameter Entry can't be passed on a command line: it holds a double quote$/,
    ],
    ...[1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60].map(
      (number) =>
        [
          `the number ${number}`,
          () => stepCommand(folder, "Enable-ContainersFeature", { RebootDelaySeconds: number }),
          /RebootDelaySeconds can't be passed.*not a whole number/,
        ] as const,
    ),
    [
      "a value that is missing",
      () =>
        stepCommand(folder, "Reset-Node", { TimeoutSeconds: 30 } as StepArguments<"Reset-Node">),
      /CriSocket can't be passed.*not text/,
    ],
  ];
  for (const [what, make, message] of wrong) {
    it(`refuse ${what}`, () => {
      assert.throws(make, message);
    });
  }
});
