import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { connect as tcpConnect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import ssh2, { type ConnectConfig, type SFTPWrapper } from "ssh2";
import { create } from "tar";

import { type RehearsalHost, startRehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { generateEd25519 } from "../../../ssh/generate-ed25519.ts";
import { newFolder } from "../new-folder.ts";
import {
  adminKey,
  connect,
  copySteps,
  openSftp,
  remoteSteps,
  run,
  stepCommand,
} from "./ssh-client.ts";

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

const noSuchFile = 2;
const denied = 3;
const failure = 4;

describe("SFTP over drive C:", () => {
  let host: RehearsalHost;
  let client: ssh2.Client;
  let sftp: SFTPWrapper;

  before(async () => {
    host = await startRehearsalHost({ hostName: "win-1", authorizedKeys: [adminKey.public] });
    client = await connect(host);
    sftp = await openSftp(client);
  });
  after(async () => {
    client.end();
    await host.stop();
  });

  const call = <T>(work: (done: (error?: Error | null, value?: T) => void) => void): Promise<T> =>
    new Promise((resolve, reject) =>
      work((error, value) => (error ? reject(error) : resolve(value as T))),
    );
  const mkdir = (path: string): Promise<void> => call((done) => sftp.mkdir(path, done));
  const put = (path: string, data: string | Buffer): Promise<void> =>
    call((done) => sftp.writeFile(path, data, done));
  const get = (path: string): Promise<Buffer> => call((done) => sftp.readFile(path, done));
  const code = (expected: number) => (error: unknown) =>
    error instanceof Error && "code" in error && error.code === expected;

  const realPaths: readonly (readonly [path: string, real: string])[] = [
    [".", "/C:/Users/Administrator"],
    ["C:/", "/C:/"],
    ["/C:/Windows/../Users", "/C:/Users"],
    ["c:\\WINDOWS", "/C:/Windows"],
    ["../../../../../../etc", "/C:/etc"],
    ["C:/not/there", "/C:/not/there"],
  ];
  for (const [path, real] of realPaths) {
    it(`knows the real path of ${path}`, async () => {
      assert.equal(await call<string>((done) => sftp.realpath(path, done)), real);
    });
  }

  it("writes and reads with all forms of a path, without regard to case", async () => {
    await mkdir("C:/kindows/forms");
    await put("C:/kindows/forms/Step.ps1", "one");
    assert.equal((await get("/C:/KINDOWS/forms/step.PS1")).toString(), "one");
    await put("\\kindows\\FORMS\\step.ps1", "two");
    assert.deepEqual(await readdir(join(host.driveC, "kindows/forms")), ["Step.ps1"]);
    await put("home.txt", "home");
    assert.equal((await get("C:/Users/Administrator/home.txt")).toString(), "home");
  });

  it("moves 3 MiB up and down, in pieces and out of order", async () => {
    const content = randomBytes(3 * 2 ** 20);
    const local = join(host.driveC, "big.local");
    await writeFile(local, content);
    await call((done) => sftp.fastPut(local, "C:/big.bin", done));
    assert((await readFile(join(host.driveC, "big.bin"))).equals(content));
    await call((done) => sftp.fastGet("C:/big.bin", `${local}.back`, done));
    assert((await readFile(`${local}.back`)).equals(content));
  });

  it("appends, truncates and refuses to overwrite as asked", async () => {
    await put("C:/flags.txt", "123456");
    await call((done) => sftp.appendFile("C:/flags.txt", "78", done));
    assert.equal((await get("C:/flags.txt")).toString(), "12345678");
    await call((done) => sftp.setstat("C:/flags.txt", { size: 4 }, done));
    assert.equal((await get("C:/flags.txt")).toString(), "1234");
    await assert.rejects(
      call((done) => sftp.open("C:/flags.txt", "wx", done)),
      code(failure),
    );
  });

  it("tells files and folders apart, and takes rights and times", async () => {
    await put("C:/kind.txt", "12345");
    const file = await call<ssh2.Stats>((done) => sftp.stat("C:/kind.txt", done));
    assert.deepEqual([file.isFile(), file.isDirectory(), file.size], [true, false, 5]);
    const root = await call<ssh2.Stats>((done) => sftp.lstat("C:", done));
    assert.equal(root.isDirectory(), true);
    await call((done) => sftp.chmod("C:/kind.txt", 0o600, done));
    await call((done) => sftp.utimes("C:/kind.txt", 1000, 2000, done));
    assert.equal((await stat(join(host.driveC, "kind.txt"))).mtimeMs, 2_000_000);
  });

  it("lists, renames and removes", async () => {
    await mkdir("C:/tree");
    await put("C:/tree/a", "1");
    await mkdir("C:/tree/sub");
    const list = await call<ssh2.FileEntryWithStats[]>((done) => sftp.readdir("C:/TREE", done));
    assert.deepEqual(list.map(({ filename }) => filename).sort(), ["a", "sub"]);
    await call((done) => sftp.rename("C:/tree/a", "C:/tree/sub/b", done));
    assert.equal((await get("C:/tree/sub/b")).toString(), "1");
    await assert.rejects(
      call((done) => sftp.rmdir("C:/tree/sub", done)),
      code(failure),
    );
    await call((done) => sftp.unlink("C:/tree/sub/b", done));
    await call((done) => sftp.rmdir("C:/tree/sub", done));
    assert.deepEqual(await readdir(join(host.driveC, "tree")), []);
  });

  it("lists a folder of 300 files", async () => {
    await mkdir("C:/many");
    for (let n = 0; n < 300; n++) await writeFile(join(host.driveC, "many", `f${n}`), "");
    const list = await call<unknown[]>((done) => sftp.readdir("C:/many", done));
    assert.equal(list.length, 300);
  });

  const wrong: readonly (readonly [name: string, expected: number, path: string])[] = [
    ["in a folder that is not there", noSuchFile, "C:/none/none.txt"],
    ["in a file", noSuchFile, "C:/flat.txt/below"],
    ["on another drive", noSuchFile, "D:/x"],
    ["on the network", noSuchFile, "//server/share/x"],
    ["in a stream", noSuchFile, "C:/flat.txt:stream"],
    ["that is a folder", failure, "C:/Users"],
    ["behind a link out of the drive", denied, "C:/escape/passwd"],
  ];
  for (const [name, expected, path] of wrong) {
    it(`answers ${expected} to reading and writing a file ${name}`, async () => {
      await put("C:/flat.txt", "x");
      await symlink("/etc", join(host.driveC, "escape")).catch(() => undefined); // made once
      await assert.rejects(get(path), code(expected));
      await assert.rejects(put(path, "x"), code(expected));
    });
  }

  it("refuses to make a folder twice, links, and handles it never gave", async () => {
    await mkdir("C:/once");
    await assert.rejects(mkdir("C:/ONCE"), code(failure));
    await assert.rejects(mkdir("C:/no/parent"), code(noSuchFile));
    await assert.rejects(call((done) => sftp.symlink("C:/x", "C:/y", done)));
    await assert.rejects(call((done) => sftp.readlink("C:/once", done)));
    const close = promisify((handle: Buffer, done: (error?: Error | null) => void) =>
      sftp.close(handle, done),
    );
    await assert.rejects(close(Buffer.from([0, 0, 0, 99])), /Invalid handle/);
  });

  it("ends with exit status 0 when its client has no more to say, as scp expects", async () => {
    const exitCode = await new Promise((resolve, reject) => {
      client.subsys("sftp", (error, channel) => {
        if (error) {
          reject(error);
          return;
        }
        let code: number | undefined;
        channel.on("exit", (status: number) => (code = status));
        channel.on("close", () => resolve(code));
        channel.resume();
        channel.end();
      });
    });
    assert.equal(exitCode, 0);
  });
});
