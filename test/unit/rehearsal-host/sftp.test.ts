import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type ssh2 from "ssh2";
import type { SFTPWrapper } from "ssh2";
import { type RehearsalHost, startRehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { adminKey, connect, openSftp } from "./ssh-client.ts";

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

  it("answers 2 to reading a file that is not there", async () => {
    await assert.rejects(get("C:/none.txt"), code(noSuchFile));
  });

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

  it("never tells a Linux path", async () => {
    const message = await get("C:/none/none.txt").then(
      () => "",
      (error: unknown) => String(error),
    );
    assert.match(message, /No such file/);
    assert(!message.includes(host.driveC));
  });
});
