import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { nodeScripts } from "../../../../components/windows/steps.ts";
import type { MachineState } from "../../../../rehearsal/machine/state.ts";
import {
  rehearsedWindows,
  type WindowsVersion,
} from "../../../../rehearsal/machine/windows-version.ts";
import { updatePending } from "../../../../rehearsal/windows/features.ts";
import { eachCase } from "../../each-case.ts";
import { remoteSteps } from "./ssh-client.ts";
import {
  assertDone,
  assertFails,
  assertFile,
  hostFor,
  plantFaults,
  prepareThrough,
  runGood,
  runStep,
  runText,
  type StepRun,
  stepNames,
  withSteps,
} from "./step-runner.ts";

describe("Test-WindowsHost, rehearsed", () => {
  const machine = hostFor("all");
  before(() => {
    machine.programs.memoryMiB = 2000;
    machine.programs.freeDiskGiB = () => Promise.resolve(30);
  });

  it("reports what it found and changes nothing", async () => {
    const result = await assertDone(
      runStep(machine, "Test-WindowsHost", ["-ComputerName", "WIN-1"]),
      false,
    );
    const { utc, lastBootUpTime, ...facts } = result.facts;
    assert.match(String(utc), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal(lastBootUpTime, machine.windows.lastBootUpTime);
    assert.deepEqual(facts, {
      computerName: "win-1",
      productName: "Windows Server 2022 Datacenter (rehearsal)",
      edition: "ServerDatacenter",
      build: "10.0.20348",
      revision: 4405,
      freeDiskGiB: 30,
      memoryMiB: 2000,
      powerShell: "5.1.20348.1",
      evaluationEnds: "",
      switchOverride: "",
      rebootPending: "",
    });
  });

  const unsuitable = {
    "-ComputerName win-2": /named win-1, expected was win-2/,
    "-ComputerName win-1 -MinimumBuild 26100": /build 20348 is older than 26100/,
    "-ComputerName win-1 -MinimumRevision 5000": /revision 20348\.4405 is older/,
    "-ComputerName win-1 -MinimumFreeDiskGiB 31": /30 GiB free, 31 GiB are needed/,
    "-ComputerName win-1 -MinimumMemoryMiB 2065": /2000 MiB, 2065 MiB are needed/,
  };
  eachCase("refuses %s", unsuitable, async (message, args) => {
    const run = runStep(machine, "Test-WindowsHost", args.split(" "));
    await assertFails(run, "HostUnsuitable", message);
  });

  it("says all that is wrong at once", async () => {
    const args = ["-ComputerName", "x", "-MinimumFreeDiskGiB", "99", "-MinimumMemoryMiB", "9999"];
    const { errorMessage } = await runStep(machine, "Test-WindowsHost", args);
    assert.equal(errorMessage.split(";").length, 3);
  });
});

describe("Test-WindowsHost on other machines, rehearsed", () => {
  const server2025 = {
    ...rehearsedWindows,
    productName: "Windows Server 2025 Datacenter",
    edition: "ServerDatacenterEval",
    build: 26100,
    revision: 6899,
    evaluationEnds: "2099-01-01T00:00:00Z",
  };
  const test = (version: WindowsVersion, podNetwork: string): Promise<StepRun> => {
    const args = ["-ComputerName", "win-1", "-PodNetwork", podNetwork];
    return withSteps({ version }, (machine) => runStep(machine, "Test-WindowsHost", args));
  };
  it("takes Server 2025 without a pod network", async () => {
    const { errorMessage, facts } = await test(server2025, "none");
    assert.equal(errorMessage, "");
    assert.match(String(facts["evaluationEnds"]), /^(2098-12-31T23:59|2099-01-01T00:0)/);
    assert.equal(facts["edition"], "ServerDatacenterEval");
  });

  const refused: Readonly<Record<string, readonly [Partial<WindowsVersion>, RegExp, string?]>> = {
    "Server 2025 with Calico": [
      {},
      /build 26100 is Windows Server 2025, which Calico does not support \(projectcalico\/calico#11691\)/,
      "calico",
    ],
    "a revision that broke Calico": [
      { build: 20348, revision: 2761 },
      /20348\.2761 is older than 20348\.2762/,
      "calico",
    ],
    "an evaluation that has ended": [
      { evaluationEnds: "2020-01-01T00:00:00Z" },
      /its evaluation licence has ended/,
    ],
    "a client edition": [
      { productName: "Windows 11", edition: "Professional" },
      /Microsoft Windows 11 is a client edition/,
    ],
    "a Windows of 32 bit": [{ is64Bit: false }, /a 32 bit edition; 64 bit is needed/],
    "a PowerShell before 5.1": [
      { powerShell: "5.0.10586.117" },
      /PowerShell is 5\.0\.10586\.117; 5\.1 is needed/,
    ],
  };
  eachCase("refuses %s", refused, async ([changes, problem, podNetwork = "none"]) => {
    await assertFails(test({ ...server2025, ...changes }, podNetwork), "HostUnsuitable", problem);
  });

  it("refuses a name that comes with the next reboot, and an sshd that does not come with it", () =>
    withSteps({}, async (machine) => {
      const { registry } = machine.windows;
      const name = registry.make("SYSTEM\\CurrentControlSet\\Control\\ComputerName\\ComputerName");
      name.set("ComputerName", "WIN-2", "String");
      machine.windows.sshdStartType = "manual";
      const { errorMessage } = await runStep(machine, "Test-WindowsHost", [
        "-ComputerName",
        "win-1",
      ]);
      assert.match(errorMessage, /node: the computer will be named WIN-2 after its next reboot/);
      assert.match(errorMessage, /; the sshd service starts as Manual: after a reboot/);
    }));

  it("says why a reboot is pending, and that it no longer is", () =>
    withSteps({}, async (machine) => {
      const reasons = async (): Promise<unknown> =>
        (await runStep(machine, "Test-WindowsHost", ["-ComputerName", "win-1"])).facts[
          "rebootPending"
        ];
      machine.windows.registry.make(updatePending);
      assert.equal(await reasons(), "Windows Update");
      await machine.programs.reboot(0);
      await machine.up();
      assert.equal(await reasons(), "");
    }));

  it("refuses a pod network it does not know", () =>
    withSteps({}, async (machine) => {
      const args = ["-ComputerName", "win-1", "-PodNetwork", "cilium"];
      assert.equal((await runStep(machine, "Test-WindowsHost", args)).exitCode, 1);
    }));
});

describe("The rehearsed steps in a wrong order", () => {
  const wrongOrder = [
    [undefined, "Confirm-Reboot", "FeatureFailed"],
    [undefined, "Install-Containerd", "FeatureMissing"],
    [undefined, "Install-Kubernetes", "ContainerdMissing"],
    [undefined, "Install-Flannel", "KubernetesMissing"],
    [undefined, "Add-ExternalNetwork", "FeatureMissing"],
    [undefined, "Confirm-ExternalNetwork", "Unexpected"],
    [undefined, "Join-Node", "KubernetesMissing"],
    ["Confirm-Reboot", "Install-Kubernetes", "ContainerdMissing"],
    ["Install-Containerd", "Join-Node", "KubernetesMissing"],
    ["Install-Kubernetes", "Install-HybridOverlay", "KubernetesMissing"],
  ] as const;
  for (const [prepared, step, code] of wrongOrder) {
    it(`${step} after ${prepared ?? "nothing"} fails with ${code}`, () =>
      withSteps({}, async (machine) => {
        if (prepared !== undefined) await prepareThrough(machine, prepared);
        await assertFails(runGood(machine, step), code);
      }));
  }
});

describe("A script that the interpreter does not know all of", () => {
  it("changes nothing, and is reported as the interpreter's failure, not as a step's result", () =>
    withSteps({}, async (machine) => {
      const script = `${remoteSteps}\\Set-HostsEntry.ps1`;
      const text = (await machine.windows.drive.readText(script)) ?? "";
      await machine.windows.drive.write(script, `${text}\nRestart-Computer\n`);
      const result = await runStep(machine, "Set-HostsEntry", ["-Entry", "10.0.0.1=a"]);
      assert.deepEqual(
        [result.exitCode, result.changed, result.errorCode],
        [70, undefined, undefined],
      );
      assert.match(
        result.stderr,
        /Set-HostsEntry\.ps1:\d+: .* does not support the command Restart-Computer/,
      );
      assert.deepEqual(machine.programs.hostsEntries, []);
    }));
});

const hostsFile = "C:\\Windows\\System32\\drivers\\etc\\hosts";

describe("Set-HostsEntry, rehearsed", () => {
  const machine = hostFor("all");

  const set = (entry: string, servers?: string): ReturnType<typeof runStep> =>
    runStep(machine, "Set-HostsEntry", [
      ...["-Entry", `"${entry}"`],
      ...(servers === undefined ? [] : ["-DnsServers", `"${servers}"`]),
    ]);

  it("adds, changes and removes names, on the drive and for the programs", async () => {
    const runs: readonly (readonly [entry: string, changed: boolean])[] = [
      ["10.0.0.1=a;10.0.0.2=b", true],
      ["10.0.0.1=a;10.0.0.2=b", false],
      ["10.0.0.3=a", true],
      ["", true],
      ["", false],
    ];
    for (const [entry, changed] of runs) {
      await assertDone(set(entry), changed);
      assert.equal(
        machine.programs.hostsEntries
          .map(({ address, names }) => `${address}=${names[0]}`)
          .join(";"),
        entry,
      );
    }
    await assertFile(machine, hostsFile, /^# hosts file of a rehearsed machine\r\n$/);
  });

  it("sets, changes and removes DNS servers", async () => {
    const runs: readonly (readonly [
      servers: string,
      changed: boolean,
      rules: readonly string[],
    ])[] = [
      ["1.1.1.1,8.8.8.8", true, ["1.1.1.1,8.8.8.8"]],
      ["1.1.1.1,8.8.8.8", false, ["1.1.1.1,8.8.8.8"]],
      ["8.8.8.8,1.1.1.1", true, ["8.8.8.8,1.1.1.1"]],
      ["", true, []],
      ["", false, []],
    ];
    for (const [servers, changed, rules] of runs) {
      await assertDone(set("", servers), changed, { dnsServers: servers });
      assert.deepEqual(
        machine.windows.state.dnsRules.map((rule) => rule.servers.join(",")),
        rules,
      );
    }
  });

  const rule = (
    name: string,
    namespace: string,
    comment: string,
  ): MachineState["dnsRules"][number] => ({
    name,
    namespace,
    comment,
    servers: ["10.9.9.9"],
  });

  it("does not add DNS servers to somebody else's rule for all names, and leaves that", async () => {
    const theirs = [rule("{1}", ".", "VPN")];
    machine.windows.state.dnsRules = [...theirs];
    const foreign = /DNS servers 10\.9\.9\.9/;
    await assertFails(set("", "1.1.1.1"), "ForeignDnsRule", foreign, /Remove-DnsClientNrptRule/);
    await assertDone(set("", ""), false);
    assert.deepEqual(machine.windows.state.dnsRules, theirs);
    machine.windows.state.dnsRules = [];
  });

  it("merges two rules that an interrupted run has left, beside others' rules for some names", async () => {
    const theirs = rule("{1}", ".example.com", "VPN");
    const ours = ["{2}", "{3}"].map((name) => rule(name, ".", "kindows"));
    machine.windows.state.dnsRules = [theirs, ...ours];
    await assertDone(set("", "1.1.1.1"), true);
    assert.deepEqual(
      machine.windows.state.dnsRules.map(({ comment, servers }) => [comment, ...servers]),
      [
        ["VPN", "10.9.9.9"],
        ["kindows", "1.1.1.1"],
      ],
    );
    await assertDone(set("", ""), true);
    assert.deepEqual(machine.windows.state.dnsRules, [theirs]);
    machine.windows.state.dnsRules = [];
  });

  it("refuses a group policy that hides every rule of the machine", async () => {
    const policy = "SOFTWARE\\Policies\\Microsoft\\Windows NT\\DNSClient\\DnsPolicyConfig";
    machine.windows.registry.make(policy);
    await assertFails(set("", "1.1.1.1"), "ForeignDnsRule", /group policy/);
    assert.deepEqual(machine.windows.state.dnsRules, []);
    machine.windows.registry.remove(policy);
  });

  it("says what is wrong where somebody keeps the file even from being read", async () => {
    machine.windows.lockedFiles.add(hostsFile);
    const result = await set("10.0.0.1=a");
    machine.windows.lockedFiles.clear();
    assert.deepEqual([result.exitCode, result.errorCode], [23, "HostsFileBusy"]);
    assert.match(result.errorMessage, /could not be had in 10 s: .*used by another process/);
  });

  it("does not contradict somebody else's line", async () => {
    await machine.windows.drive.write(hostsFile, "10.9.9.9 API # mine\r\n");
    await assertFails(set("10.0.0.1=api"), "ForeignHostsEntry");
  });
});

describe("The frame around a step", () => {
  const machine = hostFor("all");

  const runBody = async (body: string): ReturnType<typeof runStep> => {
    await machine.windows.drive.write(
      `${remoteSteps}\\Confirm-Reboot.ps1`,
      [
        "[CmdletBinding()]",
        "param()",
        "Set-StrictMode -Version Latest",
        "$ErrorActionPreference = 'Stop'",
        ". (Join-Path $PSScriptRoot 'lib\\Step.ps1')",
        ". (Join-Path $PSScriptRoot 'lib\\ClusterRoute.ps1')",
        `Invoke-Step -Name 'Confirm-Reboot' -Body { ${body} }`,
      ].join("\r\n"),
    );
    return runStep(machine, "Confirm-Reboot");
  };

  it("lets nobody but an administrator do anything", async () => {
    const { windows } = machine;
    windows.account = { name: "guest", isAdministrator: false };
    const result = await runStep(machine, "Set-HostsEntry", ["-Entry", "10.0.0.1=a"]);
    windows.account = { name: "Administrator", isAdministrator: true };
    assert.deepEqual([result.exitCode, result.errorCode], [12, "NotAdministrator"]);
    assert.match(result.remedy, /^Set windows\.adminUser to a member of Administrators/);
    assert.deepEqual(machine.programs.hostsEntries, []);
  });

  it("writes plain ASCII, whatever the console's code page", async () => {
    const text = 'Write-JsonLine -Value @{ text = "gr$([char]0xfc)n" }';
    assert.equal(await runText(machine, ["Step"], text), '{"text":"gr\\u00fcn"}\r\n');
  });

  it("has the end of what a program wrote in the error, where that is long", async () => {
    const archive = `C:${`\\${"x".repeat(199)}`.repeat(11)}`;
    const words = ["-x", "-z", "-f", archive, "-C", "C:\\", "--strip-components", "0"];
    const list = words.map((word) => `'${word}'`).join(", ");
    const call = `Invoke-NativeCommand -FilePath 'tar.exe' -TimeoutSeconds 5 -Remedy 'r' -ArgumentList ${list}`;
    const text = `try { ${call} } catch { [Console]::Out.WriteLine($_.Exception.Message) }`;
    const said = await runText(machine, ["Step", "NativeCommand"], text);
    assert.match(said, /wrote: \.{3}[x\\]{1999}'\r\n$/);
  });

  it("ends with an error's code even where nobody has listed it", async () => {
    await assertFails(runBody("Stop-Step -Code 'Novel' -Message 'm' -Remedy 'r'"), "Novel");
  });

  it("names the line of a .NET error, not that of the function's call", async () => {
    const place = /failed at C:\\kindows\\steps\\\w+\\lib\\ClusterRoute\.ps1:\d+\)/;
    await assertFails(
      runBody("ConvertTo-AddressBit -Address 'nonsense'"),
      "Unexpected",
      /./,
      place,
    );
  });

  it("does not claim to know which drive is full", async () => {
    await plantFaults(machine, { kind: "diskFull", step: "Confirm-Reboot", at: "start" });
    const write = runBody("New-Item -Path 'C:\\x' -ItemType Directory");
    await assertFails(write, "DiskFull", /./, /the drive that is full, C: as a rule/);
  });
});

const read = (file: string): string =>
  readFileSync(new URL(`../../../../components/windows/steps/${file}`, import.meta.url), "utf8");

/** What a script's help says behind "Facts of the result". */
function documentedFacts(step: string): string {
  return /^Facts of the result [^:]*: ([^]*?)\n\n/m.exec(read(`${step}.ps1`))?.[1] ?? "";
}

describe("The facts of each step's result are those that its help names", () => {
  const machine = hostFor("all");

  // They need a file, and have tests of their own (import-image.test.ts, own-program.test.ts).
  const withFiles = ["Import-Image", "Install-OwnProgram", "Restore-InstalledProgram"];
  it("are looked at of each step there is", () =>
    assert.deepEqual([...stepNames, ...withFiles].sort(), [...nodeScripts.keys()].sort()));

  for (const step of stepNames) {
    it(step, async () => {
      const result = await assertDone(runGood(machine, step));
      await machine.up();
      const facts = Object.keys(result.facts);
      const documented = documentedFacts(step);
      assert.notEqual(documented, "");
      for (const name of facts) assert.match(documented, new RegExp(`\\b${name}\\b`));
      const names = documented.replace(/\([^)]*\)|\b(and|after|a|reboot)\b/g, "").match(/\w+/g);
      assert.deepEqual(facts.sort(), names?.sort());
    });
  }
});
