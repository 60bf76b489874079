import assert from "node:assert/strict";
import { mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import { connect as tcpConnect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import ssh2, { type ConnectConfig } from "ssh2";
import { create } from "tar";
import { type RehearsalHost, startRehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { generateEd25519 } from "../../../ssh/generate-ed25519.ts";
import { adminKey, connect, copySteps, remoteSteps, run, stepCommand } from "./ssh-client.ts";
import { newFolder } from "../new-folder.ts";

describe("The rehearsal host's SSH server", () => {
  let host: RehearsalHost;
  let client: ssh2.Client;
  const log: string[] = [];

  before(async () => {
    host = await startRehearsalHost({
      hostName: "win-1",
      authorizedKeys: [adminKey.public],
      log: (line) => log.push(line),
    });
    client = await connect(host);
    await copySteps(client);
  });
  after(async () => {
    client.end();
    await host.stop();
  });

  const strangers: readonly (readonly [name: string, settings: ConnectConfig])[] = [
    ["another key", { privateKey: generateEd25519().private }],
    ["another user", { username: "root" }],
    ["a password", { privateKey: undefined, password: "x" }],
    ["nothing", { privateKey: undefined }],
  ];
  for (const [name, settings] of strangers) {
    it(`refuses ${name}`, async () => {
      await assert.rejects(connect(host, settings), /authentication methods failed/);
    });
  }

  it("takes the user's name in any case, and a second key of another kind", async () => {
    const rsa = ssh2.utils.generateKeyPairSync("rsa", { bits: 2048 });
    const other = await startRehearsalHost({
      hostName: "win-2",
      authorizedKeys: [adminKey.public, rsa.public],
    });
    try {
      const second = await connect(other, { username: "ADMINISTRATOR", privateKey: rsa.private });
      assert.equal((await run(second, "hostname")).stdout, "win-2\r\n");
      second.end();
    } finally {
      await other.stop();
    }
  });

  it("shows the host key it was given", async () => {
    await assert.rejects(
      connect(host, { hostVerifier: () => false }),
      /Host denied \(verification failed\)/,
    );
  });

  it("refuses environment requests but runs the command", async () => {
    const output = await new Promise<string>((resolve, reject) => {
      // x11 and env requests are refused; ssh2's client asks without wanting an answer
      client.exec("echo %A%", { env: { A: "set" } }, (error, channel) => {
        if (error) {
          reject(error);
          return;
        }
        let text = "";
        channel.on("data", (data: Buffer) => (text += data.toString()));
        channel.on("close", () => resolve(text));
        channel.end();
      });
    });
    assert.equal(output, "%A%\r\n");
  });

  const missing = `${remoteSteps}\\Nobody.ps1`;
  const commands: readonly (readonly [
    command: string,
    exitCode: number,
    stdout: RegExp,
    stderr: RegExp,
  ])[] = [
    ["hostname", 0, /^win-1\r\n$/, /^$/],
    ["HOSTNAME.EXE", 0, /^win-1\r\n$/, /^$/],
    ["C:\\Windows\\System32\\hostname.exe", 0, /^win-1\r\n$/, /^$/],
    ["whoami", 0, /^win-1\\administrator\r\n$/, /^$/],
    ["ver", 0, /rehearsal host: a model.*\r\n.*10\.0\.20348\.4405\] \(rehearsal\)\r\n$/s, /^$/],
    ["systeminfo", 0, /rehearsal host.*OS Name: .*\(rehearsal\).*Containers: +Available/s, /^$/],
    ["echo a b", 0, /^a b\r\n$/, /^$/],
    ["exit 42", 42, /^$/, /^$/],
    ["exit /b 7", 7, /^$/, /^$/],
    ["type %SystemRoot%\\System32\\drivers\\etc\\hosts", 0, /^# hosts file/, /^$/],
    ["type nothing.txt", 1, /^$/, /cannot find the file specified/],
    ["type", 1, /^$/, /syntax of the command is incorrect/],
    ["type D:\\x", 1, /^$/, /cannot find the drive/],
    ["dir C:\\", 0, /Directory of C:\\\r\n[^]*<DIR> Windows\r\n/, /^$/],
    ["dir C:\\none", 1, /^$/, /File Not Found/],
    ["bash -c ls", 1, /^$/, /'bash' is not recognized as an internal or external command,\r\n/],
    ["ver && hostname", 1, /^$/, /one command at a time/],
    [`echo ${"x".repeat(8187)}`, 1, /^$/, /^The command line is too long\.\r\n$/],
    [
      "powershell -Command Get-Service",
      1,
      /^$/,
      /has no PowerShell and runs only the step scripts/,
    ],
    [`powershell -File ${missing}`, 0xfffd0000, /^$/, /does not exist\. Provide the path/],
    ["net start kubelet", 2, /^$/, /service name is invalid\.[^]*NET HELPMSG 2185/],
    ["net use", 1, /^$/, /knows net start <service> and net stop/],
    ["tar -tf steps.tar", 1, /^$/, /knows tar -xf <archive> -C <folder> only/],
    ["tar.exe -xf none.tar -C C:\\kindows", 1, /^$/, /Failed to open 'none\.tar'/],
    [
      "tar.exe -xf none.tar -C C:\\kindows || (echo Make room.>&2& exit 1)",
      1,
      /^$/,
      /Failed to open 'none\.tar'\r\nMake room\.\r\n$/,
    ],
    ["whoami || (echo Nobody.>&2& exit 1)", 0, /administrator/, /^$/],
    ["shutdown /s", 1, /^$/, /knows shutdown \/r/],
    ["shutdown /r /t soon", 87, /^$/, /parameter is incorrect/],
  ];
  for (const [command, exitCode, stdout, stderr] of commands) {
    it(`answers ${command.slice(0, 60)}`, async () => {
      const result = await run(client, command);
      assert.equal(result.exitCode, exitCode);
      assert.match(result.stdout, stdout);
      assert.match(result.stderr, stderr);
    });
  }

  it("unpacks an archive, and says what is in the way", async () => {
    const source = newFolder();
    await mkdir(join(source, "A-1/lib"), { recursive: true });
    await writeFile(join(source, "A-1/lib/B.ps1"), "b");
    const media = join(host.driveC, "kindows/media");
    await create({ file: join(media, "a.tar"), cwd: source, portable: true }, ["A-1/lib/B.ps1"]);
    const unpack = "tar.exe -xf C:\\kindows\\media\\a.tar -C C:\\kindows";
    try {
      assert.deepEqual(await run(client, unpack), { exitCode: 0, stdout: "", stderr: "" });
      assert.equal(await readFile(join(host.driveC, "kindows/A-1/lib/B.ps1"), "utf8"), "b");
      assert.match((await run(client, `${unpack}\\none`)).stderr, /could not chdir/);

      host.windows.drive.full = true;
      assert.match((await run(client, unpack)).stderr, /not enough space/);
      host.windows.drive.full = false;

      await truncate(join(media, "a.tar"), 700);
      assert.equal((await run(client, unpack)).exitCode, 1);
    } finally {
      host.windows.drive.full = false;
    }
  });

  it("binds a step's parameters before it runs, with PowerShell's own words", async () => {
    const result = await run(client, stepCommand("Test-WindowsHost", ["-MinimumBuild", "x"]));
    assert.equal(result.exitCode, 1);
    assert.equal(result.stdout, "");
    assert.match(
      result.stderr,
      /Cannot process argument transformation on parameter 'MinimumBuild'\. Cannot convert value "x" to type "System\.Int32"/,
    );
  });

  it("runs sessions side by side and answers keepalives", async () => {
    let sent = 0;
    const busy = await connect(host, {
      ...{ keepaliveInterval: 10, keepaliveCountMax: 20 },
      debug: (line) => (sent += line.includes("keepalive@openssh.com") ? 1 : 0),
    });
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) => run(busy, `echo ${index}`)),
    );
    assert.deepEqual(
      results.map(({ stdout }) => stdout.trim()),
      ["0", "1", "2", "3", "4", "5", "6", "7"],
    );
    busy.once("close", () => (sent = Infinity));
    while (sent < 50) await sleep(10); // more than may go unanswered
    assert.equal((await run(busy, "hostname")).exitCode, 0);
    busy.end();
  });

  it("has no interactive shell and forwards nothing", async () => {
    const text = await new Promise<string>((resolve, reject) => {
      client.shell((error, channel) => {
        if (error) {
          reject(error);
          return;
        }
        let output = "";
        channel.on("data", (data: Buffer) => (output += data.toString()));
        channel.on("close", () => resolve(output));
      });
    });
    assert.match(text, /rehearsal host[^]*no interactive shell/);
    await assert.rejects(
      new Promise((resolve, reject) =>
        client.forwardOut("127.0.0.1", 1, "127.0.0.1", 22, (error) =>
          error ? reject(error) : resolve(undefined),
        ),
      ),
    );
    await assert.rejects(
      new Promise((resolve, reject) =>
        client.forwardIn("127.0.0.1", 0, (error) => (error ? reject(error) : resolve(undefined))),
      ),
    );
  });

  it("survives what is not SSH", async () => {
    const socket = tcpConnect(host.port, "127.0.0.1");
    socket.resume();
    socket.end("GET / HTTP/1.1\r\n\r\n");
    await new Promise((resolve) => socket.once("close", resolve));
    assert.equal((await run(client, "hostname")).exitCode, 0);
  });

  it("logs no command's input", () => {
    assert(!log.join("\n").includes("Get-Service"));
  });
});
