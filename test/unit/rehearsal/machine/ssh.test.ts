import assert from "node:assert/strict";
import { chmod, mkdir, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { connect as tcpConnect } from "node:net";
import { join } from "node:path";
import type { Client } from "ssh2";
import { create } from "tar";

import { homeSource, unpackCommand } from "../../../../components/windows/steps-copy.ts";
import {
  type RehearsedMachine,
  startRehearsedMachine,
} from "../../../rehearsed-machine/in-process.ts";
import type { SshEndpoint } from "../../../../host/ssh/endpoint.ts";
import { generateEd25519 } from "../../../../host/ssh/generate-ed25519.ts";
import { eachCase } from "../../each-case.ts";
import { newFolder } from "../../new-folder.ts";
import { adminKey, connect, remoteSteps, run } from "./ssh-client.ts";

describe("The rehearsed machine's SSH server", () => {
  let machine: RehearsedMachine;
  let client: Client;

  before(async () => {
    machine = await startRehearsedMachine({ hostName: "win-1", authorizedKeys: [adminKey.public] });
    client = await connect(machine);
  });
  after(async () => {
    client.end();
    await machine.stop();
  });

  const strangers: Readonly<Record<string, Partial<SshEndpoint>>> = {
    "another key": { privateKey: generateEd25519().private },
    "another user": { user: "root" },
    nothing: { privateKey: undefined },
  };
  eachCase("refuses %s", strangers, (settings) =>
    assert.rejects(connect(machine, settings), /authentication methods failed/),
  );

  const missing = `${remoteSteps}\\Nobody.ps1`;
  const powerShell = /has no PowerShell and runs only the step scripts/;
  /** Exit code and what is written: to standard error where that is not 0. */
  const commands: Readonly<Record<string, readonly [exitCode: number, says: RegExp]>> = {
    "HOSTNAME.EXE": [0, /^win-1\r\n$/],
    "C:\\Windows\\System32\\hostname.exe": [0, /^win-1\r\n$/],
    whoami: [0, /^win-1\\administrator\r\n$/],
    ver: [0, /rehearsed machine: a model.*\r\n.*10\.0\.20348\.4405\] \(rehearsal\)\r\n$/s],
    systeminfo: [0, /rehearsed machine.*OS Name: .*\(rehearsal\).*Containers: +Available/s],
    "type %SystemRoot%\\System32\\drivers\\etc\\hosts": [0, /^# hosts file/],
    "type nothing.txt": [1, /cannot find the file specified/],
    type: [1, /syntax of the command is incorrect/],
    "type D:\\x": [1, /cannot find the drive/],
    "bash -c ls": [1, /'bash' is not recognized as an internal or external command,\r\n/],
    "ver && hostname": [1, /one command at a time/],
    "echo a^&b": [0, /^a&b\r\n$/],
    [`echo ${"x".repeat(8187)}`]: [1, /^The command line is too long\.\r\n$/],
    "powershell Get-Service": [1, powerShell],
    "exit 7": [7, /^$/],
    "powershell -NoProfile -Command Write-VolumeCache -DriveLetter C; exit 3": [3, /^$/],
    "powershell -Nonsense -File x.ps1": [1, powerShell],
    "powershell -ExecutionPolicy Restricted -File x.ps1": [1, powerShell],
    [`powershell -File ${missing}`]: [0xfffd0000, /does not exist\. Provide the path/],
    "net start kubelet": [2, /service name is invalid\.[^]*NET HELPMSG 2185/],
    "net use": [1, /knows net start <service> and net stop/],
    "tar -tf steps.tar": [1, /knows tar -xf <archive> -C <folder> only/],
    "tar.exe -xf none.tar -C C:\\kindows || (echo Make room.>&2& exit 1)": [
      1,
      /Failed to open 'none\.tar'\r\nMake room\.\r\n$/,
    ],
    "whoami || (echo Nobody.>&2& exit 1)": [0, /administrator/],
    "shutdown /l": [1, /knows shutdown \/r/],
    "shutdown /r /t soon": [87, /parameter is incorrect/],
  };
  eachCase("answers %s", commands, async ([exitCode, says], command) => {
    const { stdout, stderr, ...ended } = await run(client, command);
    assert.equal(ended.exitCode, exitCode);
    assert.match(exitCode === 0 ? stdout : stderr, says);
    assert.equal(exitCode === 0 ? stderr : stdout, "");
  });

  it("unpacks an archive, and says what is in the way", async () => {
    const source = newFolder();
    await mkdir(join(source, "A-1/lib"), { recursive: true });
    await writeFile(join(source, "A-1/lib/B.ps1"), "b");
    const media = join(machine.driveC, "kindows/media");
    await create({ file: join(media, "a.tar"), cwd: source, portable: true }, ["A-1/lib/B.ps1"]);
    const unpack = "tar.exe -xf C:\\kindows\\media\\a.tar -C C:\\kindows";
    try {
      assert.deepEqual(await run(client, unpack), { exitCode: 0, stdout: "", stderr: "" });
      assert.equal(await readFile(join(machine.driveC, "kindows/A-1/lib/B.ps1"), "utf8"), "b");
      assert.match((await run(client, `${unpack}\\none`)).stderr, /could not chdir/);

      machine.windows.drive.full = true;
      assert.match((await run(client, unpack)).stderr, /not enough space/);
      machine.windows.drive.full = false;

      await truncate(join(media, "a.tar"), 700);
      assert.equal((await run(client, unpack)).exitCode, 1);
    } finally {
      machine.windows.drive.full = false;
    }
  });

  it("lets nobody but administrators change what is copied over SFTP", async () => {
    const copied = await readdir(homeSource);
    const folders = copied.map((name) => join(machine.driveC, "kindows", name));
    for (const folder of folders) {
      await mkdir(folder, { recursive: true });
      await chmod(folder, 0o777);
    }
    const source = newFolder();
    await writeFile(join(source, "A.ps1"), "a");
    const steps = join(machine.driveC, "kindows/steps");
    await create({ file: join(steps, "a.tar"), cwd: source, portable: true }, ["A.ps1"]);
    assert.equal((await run(client, unpackCommand("a.tar"))).stderr, "");
    assert.equal(await readFile(join(steps, "A.ps1"), "utf8"), "a");
    const modes = await Promise.all(folders.map(async (folder) => (await stat(folder)).mode));
    assert.deepEqual(
      modes.map((mode) => mode & 0o777),
      copied.map(() => 0o755),
    );
  });

  it("survives what is not SSH", async () => {
    const socket = tcpConnect(machine.port, machine.address);
    socket.resume();
    socket.end("GET / HTTP/1.1\r\n\r\n");
    await new Promise((resolve) => socket.once("close", resolve));
    assert.equal((await run(client, "hostname")).exitCode, 0);
  });
});
