import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import path from "node:path";

import { claimMachine, scriptPolicyIn } from "../../../components/machine/existing/claim.ts";
import type {
  AccessKeys,
  MachineParameter,
} from "../../../components/machine/existing/machine-parameter.ts";
import {
  checkMachine,
  nodeTraces,
  type SeenMachine,
} from "../../../components/machine/existing/seen-machine.ts";
import { officialSoftware } from "../../../components/windows/software.ts";
import {
  type RehearsedMachine,
  startRehearsedMachine,
} from "../../rehearsed-machine/in-process.ts";
import { raised } from "../../../rehearsal/powershell/types.ts";
import { rehearsedWindows } from "../../../rehearsal/machine/windows-version.ts";
import { machineReset } from "../../../components/windows/machine-reset.ts";
import { makeEncryptedKey, makeKey, SshServer } from "../../engine/plugins/support/ssh-server.ts";
import { type Ended, runAction } from "../controlplane/run-action.ts";
import { eachCase } from "../each-case.ts";
import { listing } from "../rehearsal/machine/machine-listing.ts";

const fresh: SeenMachine = {
  ver: "Microsoft Windows [Version 10.0.20348.4405]",
  installationType: "Server Core",
  user: "Administrator",
  isAdministrator: true,
  computerName: "WIN-1",
  scriptPolicy: "",
  languageMode: "FullLanguage",
  ours: false,
  traces: [],
};

/** What is seen besides, and what is reported: why and what to do. */
const refused: Readonly<Record<string, readonly [Partial<SeenMachine>, readonly RegExp[]]>> = {
  "Linux with a program named ver": [
    { ver: "GNU/Linux 6.1" },
    [
      /does not run Windows: the command ver prints GNU\/Linux 6\.1\. Write the address of a Windows Server/,
    ],
  ],
  "an account without rights": [
    { user: "me", isAdministrator: false },
    [
      /^me is not an administrator there: make it one \(Add-LocalGroupMember -SID S-1-5-32-544 -Member 'me'\)/,
    ],
  ],
  "scripts that must be signed (EnterpriseDB/edb-installers#349)": [
    { scriptPolicy: "AllSigned" },
    [/^a group policy lets PowerShell run no unsigned scripts there \(AllSigned\)/],
  ],
  "a language without what scripts need (hashicorp/packer-plugin-hyperv#55)": [
    { languageMode: "ConstrainedLanguage" },
    [/^PowerShell runs in ConstrainedLanguage mode there, by AppLocker/],
  ],
  "all at once": [
    {
      installationType: "Client",
      isAdministrator: false,
      computerName: "x",
      traces: Object.keys(nodeTraces),
    },
    [
      /client edition/,
      /not an administrator/,
      /computer name is x: write that as name, or rename it \(Rename-Computer win-1 -Restart; kindows does with mayRename: true\)/,
      new RegExp(
        `^${Object.entries(nodeTraces)
          .map(([path, what]) => `${what} \\(${path}\\)`)
          .join(", ")}: .*not made; take it out of its cluster \\(kubectl`,
      ),
    ],
  ],
};

describe("what is seen of a machine", () => {
  eachCase("stands against taking it: %s", refused, ([seen, reported]) => {
    const problems = checkMachine({ name: "win-1" }, { ...fresh, ...seen });
    assert.equal(problems.length, reported.length, problems.join("\n"));
    reported.forEach((pattern, index) => assert.match(problems[index] ?? "", pattern));
  });

  const taken: Readonly<Record<string, Partial<SeenMachine>>> = {
    "a fresh Windows Server": {},
    "one with a desktop": { installationType: "Server" },
    "one that does not say what it is; the first step asks again": { installationType: "" },
    "one whose policy allows scripts of its own": { scriptPolicy: "RemoteSigned" },
    "one that does not say in which language PowerShell runs": { languageMode: "" },
    "one that was joined from here": { ours: true, traces: Object.keys(nodeTraces) },
  };
  eachCase("lets it be taken: %s", taken, (seen) =>
    assert.deepEqual(checkMachine({ name: "win-1" }, { ...fresh, ...seen }), []),
  );

  it("lets one be renamed that may be, and is not set up as a node by its old name", () => {
    const machine = { name: "win-1", mayRename: true };
    assert.deepEqual(checkMachine(machine, { ...fresh, computerName: "x" }), []);
    const node = { ours: true, computerName: "x", traces: Object.keys(nodeTraces) };
    assert.deepEqual(checkMachine(machine, { ...fresh, ...node }), [
      "its computer name is x: write that as name, or rename it (Rename-Computer win-1 -Restart)",
    ]);
  });
});

const policyKey = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Microsoft\\Windows\\PowerShell";

/** What `reg query` prints, and the policy in it. */
const policies: Readonly<Record<string, readonly [output: string, policy: string]>> = {
  "no policy": ["", ""],
  "signed scripts (rancher-sandbox/rancher-desktop#828)": [
    `\r\n${policyKey}\r\n    EnableScripts    REG_DWORD    0x1\r\n    ExecutionPolicy    REG_SZ    AllSigned\r\n`,
    "AllSigned",
  ],
  "no scripts at all": [
    `\r\n${policyKey}\r\n    EnableScripts    REG_DWORD    0x0\r\n`,
    "Restricted",
  ],
  "a policy about something else": [
    `\r\n${policyKey}\r\n\r\n${policyKey}\\ScriptBlockLogging\r\n`,
    "",
  ],
};

describe("the policy about scripts", () => {
  eachCase("is read from what Windows prints: %s", policies, ([output, policy]) =>
    assert.equal(scriptPolicyIn(output), policy),
  );
});

const software = officialSoftware(
  { kubernetes: "1.36.4", containerd: "2.3.4" },
  { checksums: { kubelet: "5".repeat(64) }, lock: {}, folders: {} },
);

describe("actions on a machine that is there", () => {
  const login = makeKey();
  let machine: RehearsedMachine;

  before(async () => {
    machine = await startRehearsedMachine({ hostName: "win-1", authorizedKeys: [login.publicKey] });
  });
  after(() => machine.stop());

  const run = (
    action: string,
    more: {
      readonly name?: string;
      readonly mayRename?: boolean;
      readonly hostKey?: string;
      readonly gone?: string;
    } = {},
  ): Promise<Ended> => {
    const { name = "win-1", mayRename, hostKey = machine.hostKey, gone = "" } = more;
    const server = { host: machine.address, port: machine.port, user: "Administrator", hostKey };
    return runAction(`machine/actions/${action}`, {
      KINDOWS_GONE: gone,
      MACHINE: JSON.stringify({ name, mayRename, server, ...machineReset(software) }),
      KEYS: JSON.stringify({ machine: { privateKey: login.privateKey } }),
    });
  };
  const onDrive = (folder: string): string => path.join(machine.driveC, folder);

  it("claim one that answers, is called as it shall be, and is nobody's node", async () => {
    const end = await run("claim-machine");
    assert.deepEqual([end.exitCode, end.stdout], [0, "claimed"], end.stderr);
  });

  it("leave what was on it before: what the claim has recorded in a node's folders", async () => {
    const before = ["k/tools/theirs.exe", "k/notes.txt", "opt/cni/own.txt"];
    const since = [
      ...["k/kubelet.exe", "k/new/a", "opt/cni/bin/host-local.exe", "etc/cni/net.d/a"],
      ...["var/log/pods/a", "var/lib/kubelet/a"],
    ];
    const put = async (files: readonly string[]): Promise<void> => {
      for (const file of files) {
        await mkdir(path.dirname(onDrive(file)), { recursive: true });
        await writeFile(onDrive(file), "x");
      }
    };
    await rm(onDrive("kindows"), { recursive: true, force: true });
    await put(before);
    await mkdir(onDrive("var/log"), { recursive: true });
    const claimed = await run("claim-machine");
    assert.equal(claimed.exitCode, 0, claimed.stderr);
    await put(since);
    // A second claim, without the state of the first one, does not take what came since for theirs.
    assert.equal((await run("claim-machine")).exitCode, 0);
    await cp("components/windows/steps", onDrive("kindows/steps/any"), { recursive: true });
    const end = await run("reset-machine");
    assert.equal(end.exitCode, 0, end.stderr);
    const isThere = (file: string): boolean => existsSync(onDrive(file));
    assert.deepEqual(before.filter(isThere), before);
    assert.ok(isThere("var/log"));
    assert.deepEqual([...since, "etc", "var/lib", "kindows/claim.json"].filter(isThere), []);
    await rm(onDrive("k"), { recursive: true });
    await rm(onDrive("opt"), { recursive: true });
    await rm(onDrive("var"), { recursive: true });
  });

  it("give one that may be renamed its node's name, with one reboot", async () => {
    const { boots } = machine;
    const refused = await run("claim-machine", { name: "win-5" });
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stderr, /its computer name is win-1: write that as name, or rename it/);
    for (const name of ["win-5", "WIN-5", "win-1"]) {
      const end = await run("claim-machine", { name, mayRename: true });
      assert.deepEqual([end.exitCode, end.stdout], [0, "claimed"], end.stderr);
      assert.equal(machine.windows.computerName.toLowerCase(), name.toLowerCase());
    }
    // Windows does not tell WIN-5 from win-5.
    assert.equal(machine.boots, boots + 2);
  });

  it("say why Windows does not rename one, and reboot nothing", async () => {
    const { boots } = machine;
    machine.windows.beforeCmdlet = ({ name }) => {
      if (name === "Rename-Computer") {
        throw raised("System.InvalidOperationException", "Access is denied.");
      }
    };
    const end = await run("claim-machine", { name: "win-5", mayRename: true });
    machine.windows.beforeCmdlet = () => undefined;
    assert.equal(end.exitCode, 1);
    assert.match(end.stderr, /win-5 \(.*\) cannot be renamed: .*Access is denied/);
    assert.equal(machine.boots, boots);
    const again = await run("claim-machine");
    assert.equal(again.exitCode, 0, again.stderr);
  });

  it("do not claim one that is somebody's node", async () => {
    await rm(onDrive("kindows"), { recursive: true });
    await mkdir(onDrive("etc/kubernetes/kubelet.conf"), { recursive: true });
    const end = await run("claim-machine");
    assert.equal(end.exitCode, 1);
    assert.match(end.stderr, /win-1 \(Administrator@127[\d.]+:\d+\) cannot be used; nothing was/);
    assert.match(
      end.stderr,
      /it is a node of a cluster already \(C:\/etc\/kubernetes\/kubelet\.conf/,
    );
  });

  it("find nothing to reset where no step has been", async () => {
    const end = await run("reset-machine");
    assert.equal(end.exitCode, 0, end.stderr);
    assert.match(end.stderr, /the step scripts are gone.*nothing to reset/);
  });

  it("reset it by whatever scripts are there, and remove what was copied to it", async () => {
    await cp("components/windows/steps", onDrive("kindows/steps/older"), { recursive: true });
    const pushed = `kindows/media/${"5".repeat(64)}`;
    await mkdir(onDrive(pushed), { recursive: true });
    const end = await run("reset-machine");
    assert.equal(end.exitCode, 0, end.stderr);
    assert.match(end.stderr, /win-1 was reset/);
    for (const gone of ["kindows/steps", pushed, "etc/kubernetes"]) {
      assert.equal(existsSync(onDrive(gone)), false, gone);
    }
  });

  it("say which key a machine shows that is not the pinned one", async () => {
    const end = await run("reset-machine", { hostKey: makeKey().publicKey });
    assert.equal(end.exitCode, 1);
    assert.match(
      end.stderr,
      /shows the host key SHA256:.* the settings pin SHA256:.*KINDOWS_GONE=win-1/,
    );
  });

  it("ask nothing of one that is gone", async () => {
    const end = await run("reset-machine", { hostKey: makeKey().publicKey, gone: "win-9, win-1" });
    assert.equal(end.exitCode, 0, end.stderr);
    assert.match(end.stderr, /win-1 is gone for good, as KINDOWS_GONE says/);
  });
});

/** What a machine is claimed with where a case says nothing else. */
interface Claim {
  readonly name?: string;
  readonly server?: Partial<MachineParameter["server"]>;
  readonly bastion?: Partial<MachineParameter["server"]>;
  readonly keys?: Partial<AccessKeys>;
  readonly seconds?: number;
}

/** What is claimed, why it is refused, and what to do: both have to be reported. */
type Refusal = readonly [claim: () => Claim, why: RegExp, instead: RegExp];

describe("machines that cannot be taken", () => {
  const [login, stranger, jumpKey, linuxKey] = [makeKey(), makeKey(), makeKey(), makeKey()];
  const encrypted = makeEncryptedKey("sesame");
  let windows: RehearsedMachine;
  let client: RehearsedMachine;
  let linux: SshServer;
  let jump: SshServer;
  /** Takes connections and says nothing. */
  let silent: Server;
  /** Speaks, but not SSH. */
  let web: Server;
  let untouched: Record<string, string>;
  const closedPort = 1;
  const ends = new Map<string, Promise<string>>();

  /** Says how it was refused. */
  const claim = async ({ name = "win-1", server, bastion, keys, seconds = 600 }: Claim) => {
    const administrator = { host: windows.address, port: windows.port, user: "Administrator" };
    const machine: MachineParameter = {
      name,
      server: { ...administrator, hostKey: windows.hostKey, ...server },
      ...(bastion && {
        bastion: {
          host: "127.0.0.1",
          port: jump.port,
          user: "jump",
          hostKey: jumpKey.publicKey,
          ...bastion,
        },
      }),
      seconds: 600,
      folder: "C:/kindows/steps/x",
      reset: "never",
      media: [],
    };
    const access: AccessKeys = {
      machine: { privateKey: login.privateKey },
      ...(bastion && { bastion: { privateKey: login.privateKey } }),
      ...keys,
    };
    return claimMachine(machine, access, false, seconds).then(
      () => "it was taken",
      (error: unknown) => (error as Error).message,
    );
  };

  const portOf = (server: Server): number => (server.address() as AddressInfo).port;

  const refusals: Readonly<Record<string, Refusal>> = {
    "a key that is not let in": [
      () => ({ keys: { machine: { privateKey: stranger.privateKey } } }),
      /Administrator@127[\d.]+:\d+: All configured authentication methods failed/,
      /user and key of win-1 under kindows:nodes or under kindows:login, .*administrators_authorized_keys .*kindows bootstrap/,
    ],
    "an account that there is not": [
      () => ({ server: { user: "me" } }),
      /me@127[\d.]+:\d+: All configured authentication methods failed/,
      /let this key in for me/,
    ],
    "a key whose passphrase is another": [
      () => ({
        keys: {
          machine: { privateKey: encrypted.privateKey, privateKeyPassword: "abracadabra" },
        },
      }),
      /the private key for 127[\d.]+ cannot be read: /,
      /its privateKeyPassphrase if it is encrypted, of win-1 under kindows:nodes/,
    ],
    "another host key than the pinned one": [
      () => ({ server: { hostKey: stranger.publicKey } }),
      /shows the host key SHA256:\S+, but the settings pin SHA256:/,
      /Compare that fingerprint at its console.*the machine's own after a reinstall, write that key as hostKey of win-1 under kindows:nodes; if not, another host/,
    ],
    "a machine that has no SSH server": [
      () => ({ server: { port: closedPort } }),
      /ECONNREFUSED/,
      /Nothing listens on port \d+ there: .*Start-Service sshd/,
    ],
    "a machine that takes connections and says nothing": [
      () => ({ server: { port: portOf(silent) }, seconds: 2 }),
      /no end within 2 s/,
      /every firewall between here and there/,
    ],
    "something that is no SSH server": [
      () => ({ server: { port: portOf(web) } }),
      /127[\d.]+:\d+: /,
      /Does an SSH server answer at that port\? .* of win-1 under kindows:nodes/,
    ],
    "a name that nobody knows": [
      () => ({ server: { host: "win-1.kindows.invalid" } }),
      /ENOTFOUND|EAI_AGAIN/,
      /cannot resolve the name: .* of win-1 under kindows:nodes/,
    ],
    "a bastion that is not there": [
      () => ({ bastion: { port: closedPort } }),
      /its bastion jump@127\.0\.0\.1:\d+: .*ECONNREFUSED/,
      /right address and port among the bastions of win-1 under kindows:nodes/,
    ],
    "a bastion with another host key": [
      () => ({ bastion: { hostKey: stranger.publicKey } }),
      /its bastion .*shows the host key SHA256:/,
      /the bastion's own after a reinstall, .*hostKey among the bastions of win-1/,
    ],
    "a bastion that lets the key not in": [
      () => ({ bastion: {}, keys: { bastion: { privateKey: stranger.privateKey } } }),
      /its bastion .*authentication methods failed/,
      /let this key in for jump: in its authorized_keys/,
    ],
    "a machine that its bastion does not reach": [
      () => ({ bastion: {}, server: { port: closedPort } }),
      /Administrator@127[\d.]+:\d+, from its bastion: /,
      /\S/,
    ],
    "a machine with Linux": [
      () => ({
        server: { port: linux.port, hostKey: linuxKey.publicKey, user: "root" },
      }),
      /it does not run Windows: the command ver prints nothing/,
      /Write the address of a Windows Server of win-1 .*or leave win-1 out/,
    ],
    "a client edition of Windows": [
      () => ({ name: "desktop", server: { port: client.port, hostKey: client.hostKey } }),
      /it runs a client edition of Windows/,
      /use a machine with Windows Server/,
    ],
  };

  before(async () => {
    const authorizedKeys = [login.publicKey];
    const listening = (server: Server): Promise<Server> =>
      new Promise((resolve) => server.listen(0, windows.address, () => resolve(server)));
    windows = await startRehearsedMachine({ hostName: "win-1", authorizedKeys });
    client = await startRehearsedMachine({
      hostName: "desktop",
      authorizedKeys,
      version: { ...rehearsedWindows, edition: "Professional" },
    });
    linux = await SshServer.start({ hostKey: linuxKey, authorizedKeys, address: windows.address });
    jump = await SshServer.start({ hostKey: jumpKey, authorizedKeys });
    silent = await listening(createServer(() => undefined));
    web = await listening(
      createServer((socket) => {
        socket.on("error", () => undefined);
        socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
      }),
    );
    untouched = await listing(windows);

    // All at once: most of their time is waiting to dial again.
    for (const [what, refusal] of Object.entries(refusals)) ends.set(what, claim(refusal[0]()));
    await Promise.all(ends.values());
  });
  after(async () => {
    silent.close();
    web.close();
    await Promise.all([windows, client, linux, jump].map((one) => one.stop()));
  });

  eachCase("%s: reported with why, and what to do", refusals, async ([, why, instead], what) => {
    const message = (await ends.get(what)) ?? "";
    assert.match(message, /^\S+ \(\S+@\S+:\d+.*\) cannot be used; nothing was changed on it: /);
    assert.match(message, why);
    assert.match(message, instead);
    // The plugin's own names say nothing to who writes settings.
    assert.doesNotMatch(message, /dialErrorLimit|connection\.|PRIVATE KEY|abracadabra/);
  });

  it("are left as they were, and can be taken when nothing is wrong, by a bastion too", async () => {
    assert.deepEqual(await listing(windows), untouched);
    assert.equal(await claim({}), "it was taken");
    assert.equal(await claim({ bastion: {} }), "it was taken");
    const { "/kindows/claim.json": record, ...others } = await listing(windows);
    assert.equal(record, '{"before":[]}');
    assert.deepEqual(others, untouched);
  });
});
