import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";

import { defaultRequirements } from "../../../../components/windows/host-requirements.ts";
import { BuildStages, StageError } from "../../../../images/windows/builder/build-stages.ts";
import {
  type BuilderMachine,
  qemuArguments,
} from "../../../../images/windows/builder/qemu-command.ts";
import { Qmp, type QmpEvent } from "../../../../images/windows/builder/qmp.ts";
import {
  buildIn,
  sealCommand,
  sealingError,
} from "../../../../images/windows/builder/seal-image.ts";
import { PartialImage } from "../../../../images/windows/builder/partial-image.ts";
import { runBuilder } from "../../../../images/windows/builder/run-builder.ts";
import { SerialLines } from "../../../../images/windows/builder/qemu-process.ts";
import { registriesOf, wayOutTo } from "../../../../images/windows/builder/way-out.ts";
import { newImageSecrets } from "../../../../images/windows/image-disc.ts";
import { imageScriptsSource } from "../../../../images/windows/scripts-folder.ts";
import { CommandFailed } from "../../../../host/ssh/run-over-ssh.ts";
import { assertGolden } from "../../controlplane/golden.ts";
import { eachCase } from "../../each-case.ts";
import { inNewFolder, newFolder } from "../../new-folder.ts";
import { Cache } from "../../../../toolchain/cache.ts";

const mib = 1024 ** 2;
const minute = 60_000;

/** Something seen from outside, at its place in a machine's life; minutes go by where a number stands. */
type Seen = number | "restart" | "off" | "sealed" | { wrote: number } | { says: string };

/** Plays what is seen, and says where that leads: a stage, or the error's text. */
function play(seen: readonly Seen[], slowness = 1): { stage: string; lines: string[] } {
  let now = 0;
  const lines: string[] = [];
  const stages = new BuildStages((line) => lines.push(line), now, slowness);
  try {
    for (const each of seen) {
      now += 5000;
      if (typeof each === "number") now += each * minute;
      else if (each === "restart") stages.restarted(now);
      else if (each === "sealed") stages.sealed(now);
      else if (each === "off") {
        stages.poweredOff();
        return { stage: "done", lines };
      } else if ("wrote" in each) stages.wrote(each.wrote, now);
      else stages.said(each.says, now);
      stages.checkTime(now);
    }
    return { stage: stages.stage, lines };
  } catch (error) {
    assert.ok(error instanceof StageError);
    return { stage: error.message, lines };
  }
}

const says = (...messages: readonly string[]): Seen[] =>
  messages.map((message) => ({ says: `kindows: ${message}` }));

const copied: Seen[] = [{ wrote: mib }, { wrote: 500 * mib }];
const prepared: Seen[] = [
  ...copied,
  "restart",
  "restart",
  ...says("installed, preparing the image"),
];
const initialized: Seen[] = [...prepared, ...says("installing OpenSSH", "initialized")];
const updating: Seen[] = [...prepared, ...says("installing OpenSSH", "installing the update")];
const updated: Seen[] = [
  ...updating,
  ...says("updated, rebooting"),
  "restart",
  ...says("rebooting for Component Based Servicing"),
  "restart",
];
const sealed: Seen[] = [...initialized, ...says("sealing"), "sealed"];
const built = says("build 20348.2762");

/** What is seen, and the stage or error that it leads to. */
const cases: Readonly<Record<string, readonly [seen: readonly Seen[], end: string | RegExp]>> = {
  "nothing yet": [[], "boot"],
  "more restarts than expected": [[...copied, "restart", "restart", "restart", "restart"], "setup"],
  "the first logon": [prepared, "prepare"],
  "an update that is installed": [[...updating, 89], "update"],
  "the restarts of an update": [updated, "update"],
  "an update that is in force": [[...updated, ...built], "seal"],
  "the build of an image without an update": [[...initialized, ...built], "seal"],
  "an update that never ends": [
    [...updating, 121],
    /^stage 5 of 7.* the update is installed.*no end within 2 h/,
  ],
  "all of it": [[...sealed, "off"], "done"],
  "a firmware's noise on the port": [
    [...copied, { says: "installed, preparing the image" }],
    "copy",
  ],
  "a first logon that runs twice": [
    [...initialized, ...says("installed, preparing the image")],
    "seal",
  ],
  "off while copying": [
    [...copied, "off"],
    /^stage 2 of 7, Windows Setup copies .*switched off from inside before the image was sealed/,
  ],
  "off before it is sealed": [[...initialized, "off"], /^stage 6 of 7/],
  "restarts without end": [
    ["restart", "restart", "restart"],
    /^stage 1 of 7.* restarted 3 times and copied nothing/,
  ],
  "a script that fails": [
    [...prepared, ...says("failed: no disk")],
    /^stage 4 of 7.* the machine says: failed: no disk/,
  ],
  "a disc that never boots": [
    [16],
    /^stage 1 of 7, Windows Setup starts from its disc: no end within 15 min/,
  ],
  "a stage's own time, not that of all": [[14, ...copied, 44, "restart", 59], "setup"],
  "a Setup that hangs": [[...copied, 46], /^stage 2 of 7.*no end within 45 min/],
  "a sysprep that refuses, which nobody could log in to read any more": [
    [...sealed, ...says("failed: sysprep ended without generalizing")],
    /^stage 7 of 7.* the machine says: failed: sysprep ended without generalizing/,
  ],
  "a power-off that never comes": [[...sealed, 46], /^stage 7 of 7.*no end within 45 min/],
};

describe("stages of building an image", () => {
  eachCase("%s", cases, ([seen, end]) => {
    const { stage } = play(seen);
    if (typeof end === "string") assert.equal(stage, end);
    else assert.match(stage, end);
  });

  it("last longer where a machine is emulated", () => {
    assert.equal(play([...copied, 46], 10).stage, "copy");
    assert.match(play([...copied, 451], 10).stage, /no end within 7 h 30 min/);
  });

  it("count a restart once that is reported several times at once", () => {
    const lines: string[] = [];
    const stages = new BuildStages((line) => lines.push(line), 0);
    [1000, 1001, 1500, 9000].forEach((now) => stages.restarted(now));
    assert.deepEqual(lines.slice(1), ["restart 1", "restart 2"]);
  });

  it("know when the machine can be logged in to, and when a killed build can be gone on with", () => {
    const states = (...messages: readonly string[]): boolean[][] => {
      const stages = new BuildStages(() => undefined, 0);
      return messages.map((message) => {
        stages.said(`kindows: ${message}`, 0);
        return [stages.isOpen, stages.isKept, stages.isSealing];
      });
    };
    assert.deepEqual(states("installing the update", "updated, rebooting"), [
      [false, false, false],
      [true, false, false],
    ]);
    assert.deepEqual(states("installing OpenSSH", "initialized", "build 20348.2762", "sealing"), [
      [false, false, false],
      [true, true, false],
      [true, true, false],
      [true, false, true],
    ]);
    const script = readFileSync(path.join(imageScriptsSource, "Complete-Image.ps1"), "utf8");
    assert.match(script, /-Body \{\n {4}Write-SerialLine -Message 'sealing'\n/);
  });

  it("begin with the sealing where a build is gone on with, and give up sooner until scripts run", () => {
    const lines: string[] = [];
    const stages = new BuildStages((line) => lines.push(line), 0, 1, true);
    assert.deepEqual([stages.stage, stages.isOpen, stages.isDoubtful], ["seal", true, true]);
    assert.match(lines.join("\n"), /^stage 6 of 7: .*; at most 15 min 00 s$/);
    stages.restarted(5000);
    stages.checkTime(14 * minute);
    assert.throws(() => stages.checkTime(16 * minute), /^StageError: stage 6 of 7.*within 15 min/);
    stages.said("kindows: build 20348.2762", 14 * minute);
    assert.equal(stages.isDoubtful, false);
    stages.checkTime(74 * minute);
    assert.throws(() => stages.checkTime(76 * minute), /within 1 h 15 min/);
  });

  it("turn at what the scripts really say", () => {
    const script = readFileSync(path.join(imageScriptsSource, "Initialize-Image.ps1"), "utf8");
    const said = [...script.matchAll(/Write-SerialLine -Message '([^']+)'/g)].map(
      ([, message = ""]) => ({ says: `kindows: ${message}` }),
    );
    assert.equal(play([...copied, "restart", ...said.slice(0, 1)]).stage, "prepare");
    assert.equal(play([...copied, "restart", ...said.slice(0, -1)]).stage, "update");
    assert.equal(play([...copied, "restart", ...said]).stage, "seal");
    const confirming = readFileSync(
      path.join(imageScriptsSource, "Confirm-ImageBuild.ps1"),
      "utf8",
    );
    assert.match(confirming, /Write-SerialLine -Message "build \$found"/);
    assert.match(confirming, /\$found = "\$\(\$windows\.Build\)\.\$\(\$windows\.Revision\)"/);
    const library = readFileSync(path.join(imageScriptsSource, "lib/SerialLog.ps1"), "utf8");
    assert.match(library, /WriteLine\("kindows: \$Message"\)/);
    assert.match(library, /Write-SerialLine -Message "failed: /);
    assert.match(script, /Write-SerialFailure -Exception/);
  });

  it("are reported with the number of all, and how long they may take; the first one at once", () => {
    const { lines } = play(sealed);
    assert.equal(lines[0], "stage 1 of 7: Windows Setup starts from its disc; at most 15 min 00 s");
    const copies = "stage 2 of 7: Windows Setup copies Windows to the disk; at most";
    assert.ok(lines.includes(`${copies} 45 min 00 s`));
    assert.ok(play(copied, 10).lines.includes(`${copies} 7 h 30 min`));
    assert.equal(lines.filter((line) => line.startsWith("stage ")).length, 6);
  });
});

describe("lines on a serial port", () => {
  it("come whole, once, and without what is no text", async () => {
    const file = inNewFolder()("com1.log");
    const lines = new SerialLines(file);
    assert.deepEqual(await lines.read(), [], "before the file is there");
    await writeFile(file, "one\r\ntw");
    assert.deepEqual(await lines.read(), ["one"]);
    // What was read is not read again.
    await writeFile(file, "ONE\r\nTW");
    await appendFile(file, Buffer.from("o\n\x1b[2Jthree \xff\n", "latin1"));
    assert.deepEqual(await lines.read(), ["two", "[2Jthree \xff"]);
    assert.deepEqual(await lines.read(), []);
  });
});

/** A QEMU that answers with what a test says, command by command. */
function fakeQemu(answers: Readonly<Record<string, object>>) {
  const output = new PassThrough();
  const input = new PassThrough();
  const events: QmpEvent[] = [];
  const tell = (message: object): boolean => output.write(`${JSON.stringify(message)}\r\n`);
  input.on("data", (chunk: Buffer) => {
    const { execute, id } = JSON.parse(chunk.toString()) as { execute: string; id: number };
    const answer = answers[execute];
    if (answer !== undefined) tell({ ...answer, id });
  });
  const qmp = new Qmp(output, input, (event) => events.push(event));
  return { qmp, output, events, tell };
}

const greeting = { QMP: { version: {}, capabilities: [] } };
const ok = { qmp_capabilities: { return: {} } };

describe("QEMU's monitor", () => {
  it("is asked, answers, and tells events", async () => {
    const { qmp, tell, events } = fakeQemu({ ...ok, "query-status": { return: { status: "x" } } });
    tell(greeting);
    await qmp.open();
    tell({ event: "RESET", data: { guest: true }, timestamp: {} });
    assert.deepEqual(await qmp.execute("query-status"), { status: "x" });
    assert.deepEqual(events, [{ name: "RESET", data: { guest: true } }]);
  });

  it("refuses in its own words", async () => {
    const error = { class: "GenericError", desc: "Parameter 'format' is unexpected" };
    const { qmp, tell } = fakeQemu({ ...ok, screendump: { error } });
    tell(greeting);
    await qmp.open();
    await assert.rejects(qmp.execute("screendump"), /QEMU says: Parameter 'format' is unexpected/);
  });

  it("ends, and with it what was asked and what is asked later", async () => {
    const { qmp, tell, output } = fakeQemu(ok);
    tell(greeting);
    await qmp.open();
    const asked = qmp.execute("quit");
    output.end();
    await assert.rejects(asked, /QEMU has ended/);
    await assert.rejects(qmp.execute("cont"), /QEMU has ended/);
  });
});

const bios: BuilderMachine = {
  accelerator: "kvm",
  cpus: 4,
  memoryMiB: 4096,
  uefi: undefined,
  folder: "/cache/private",
  disk: "/cache/a,b/windows.qcow2",
  discs: ["/media/windows server.iso", "/cache/private/config.iso"],
};

/** Arguments of QEMU, each option with its value on a line. */
function linesFor(machine: BuilderMachine): string[] {
  return qemuArguments(machine)
    .join("\n")
    .split(/\n(?=-[a-z])/i)
    .map((line) => line.replaceAll("\n", " "));
}

describe("a QEMU that pauses the machine", () => {
  const at = inNewFolder();
  /** Answers like QEMU, pauses when it is told to begin, and ends if it was not paused for good. */
  const program = (status: string): string => `#!${process.execPath}
const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
say({ QMP: {} });
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { execute, id } = JSON.parse(line);
  if (execute === "screendump") return say({ id, error: { class: "GenericError", desc: "no screen" } });
  say({ id, return: execute === "query-status" ? { status: "${status}" } : {} });
  if (execute === "cont") say({ event: "STOP", data: {} });
  if (execute === "query-status" && "${status}" !== "internal-error") process.exit(3);
});
`;
  const ends: Readonly<Record<string, RegExp>> = {
    "internal-error": /KVM on this host could not run the machine any further; last seen/,
    paused: /QEMU ended by itself \(exit code 3\)/,
  };
  eachCase("for %s ends the build only if it is for good", ends, async (end, status) => {
    const emulator = at(status);
    await writeFile(emulator, program(status), { mode: 0o755 });
    const built = runBuilder({
      machine: {
        ...{ accelerator: "kvm", cpus: 2, memoryMiB: 4096, uefi: undefined },
        ...{ folder: newFolder(), disk: "disk.qcow2", discs: [] },
      },
      logFile: at("build.log"),
      screens: at("screens"),
      progress: () => undefined,
      signal: new AbortController().signal,
      partial: new PartialImage(new Cache(newFolder()), "image"),
      secrets: newImageSecrets(),
      registries: new Set(),
      isResumed: false,
      emulator,
    });
    await assert.rejects(built, end);
  });
});

describe("QEMU's arguments for the machine an image is made on", () => {
  it("are as reviewed: a blue screen is reported and stays, the disk comes first, nobody's network", () =>
    assertGolden(new URL("./", import.meta.url), "bios-kvm.txt", `${linesFor(bios).join("\n")}\n`));

  it("are with UEFI the same, but for its program and a copy of its settings", () => {
    const uefi = linesFor({ ...bios, uefi: { code: "/ovmf/code.fd", variables: "/ovmf/vars.fd" } });
    const machine = "-machine q35,accel=kvm,vmport=off,hpet=off";
    assert.deepEqual(
      uefi.filter((line) => !linesFor(bios).includes(line)),
      [
        `${machine},pflash0=uefi-code,pflash1=uefi-variables`,
        '-blockdev {"driver":"file","node-name":"uefi-code","filename":"/ovmf/code.fd","read-only":true}',
        '-blockdev {"driver":"file","node-name":"uefi-variables","filename":"uefi-variables.fd"}',
      ],
    );
    assert.deepEqual(
      linesFor(bios).filter((line) => !uefi.includes(line)),
      [machine],
    );
  });
});

async function listening(onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onConnection).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

describe("the way out of a machine that an image is made on", () => {
  let registry: Server;
  let way: Server;

  before(async () => {
    registry = await listening((socket) => {
      socket.on("data", (chunk) => socket.end(`registry got ${chunk.toString()}`));
    });
    way = await listening(wayOutTo(new Set([`127.0.0.1:${portOf(registry)}`])));
  });
  after(() => {
    registry.close();
    way.close();
  });

  const answerTo = async (request: string, more = ""): Promise<string> => {
    const socket = connect(portOf(way), "127.0.0.1");
    socket.write(request);
    if (more !== "") {
      await once(socket, "readable");
      socket.write(more);
    }
    return text(socket);
  };

  it("leads to a registry that is named, whatever its address", async () => {
    const request = `CONNECT 127.0.0.1:${portOf(registry)} HTTP/1.1\r\nHost: x\r\n\r\n`;
    assert.equal(
      await answerTo(request, "hello"),
      "HTTP/1.1 200 Connection established\r\n\r\nregistry got hello",
    );
  });

  const refused: Readonly<Record<string, readonly [request: string, answer: RegExp]>> = {
    "this host's own ports": ["CONNECT 127.0.0.1:22 HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 502 only tunn/],
    "addresses that are not of the Internet": [
      "CONNECT 127.0.0.1:443 HTTP/1.1\r\n\r\n",
      /^HTTP\/1\.1 502 127\.0\.0\.1 is 127\.0\.0\.1, which is not a public internet address/,
    ],
    "a name for this host": [
      "CONNECT localhost:443 HTTP/1.1\r\n\r\n",
      /^HTTP\/1\.1 502 localhost is \S+, which is not a public internet address/,
    ],
    "anything but tunnels": ["GET / HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 502 only tunnels/],
    "endless requests": ["x".repeat(9000), /^HTTP\/1\.1 502 the request is too long/],
    "registries that are not there": [
      "CONNECT registry.invalid:443 HTTP/1.1\r\n\r\n",
      /^HTTP\/1\.1 502 .*registry\.invalid/,
    ],
  };
  eachCase("does not lead to %s, and says so", refused, async ([request, answer]) =>
    assert.match(await answerTo(request), answer),
  );

  it("knows registries by the images' names", () =>
    assert.deepEqual(
      [...registriesOf(["quay.io/calico/node-windows:v1", "quay.io/x:1", "lan.example:5000/x:1"])],
      ["quay.io:443", "lan.example:5000"],
    ));
});

describe("sealing over SSH", () => {
  it("finds the Windows among what all scripts say", () => {
    const build = '{"step":"Confirm-ImageBuild","facts":{"build":20348,"revision":5139}}';
    const output = ["words", build, '{"step":"Invoke-Bake","facts":{"steps":4}}', ""].join("\r\n");
    assert.deepEqual(buildIn(output), { build: 20348, revision: 5139 });
  });

  it("makes up no Windows from nothing, or from what another script says", () => {
    for (const output of ["", "{}", '{"step":"Invoke-Bake","facts":{"build":1,"revision":2}}']) {
      assert.throws(() => buildIn(output), /no script reported its Windows version/);
    }
  });

  it("is tried again after a lost connection, a reboot, and where the script of a lost connection still runs", () => {
    const ended = (code: number): unknown => sealingError(new CommandFailed("", code));
    const again = [new Error("the connection was lost"), ended(75), ended(11)];
    assert.ok(again.every((error) => sealingError(error) === error));
    for (const code of [1, 10, 12, 74, 76]) assert.ok(ended(code) instanceof StageError);
  });

  it("asks for what the nodes' own check asks for, before anything else, and fits into cmd.exe", () => {
    const { minimumBuild, minimumRevision } = defaultRequirements;
    const places = [
      `'Confirm-ImageBuild.ps1') -MinimumBuild ${minimumBuild} -MinimumRevision ${minimumRevision};`,
      "'Invoke-Bake.ps1'",
      "'Complete-Image.ps1') -SealedAnswerFile",
    ].map((part) => sealCommand.indexOf(part));
    assert.ok(places[0] !== undefined && places[0] > 0);
    assert.deepEqual(
      places,
      [...places].sort((one, other) => one - other),
    );
    assert.ok(sealCommand.length < 8191);
  });
});
