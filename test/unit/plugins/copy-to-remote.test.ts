import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { EngineProject, type EngineRun } from "./support/engine.ts";
import { eventually } from "./support/eventually.ts";
import { makeKey, SshServer } from "./support/ssh-server.ts";

describe("command.remote.CopyToRemote in the engine", function () {
  this.timeout(60_000);
  const hostKey = makeKey();
  const key = makeKey();
  let project: EngineProject;
  let server: SshServer;
  let remote: string;

  before(async () => {
    server = await SshServer.start({ hostKey, authorizedKeys: [key.publicKey] });
    project = await EngineProject.create();
    remote = path.join(project.folder, "remote");
    await mkdir(remote);
    await mkdir(path.join(remote, "existing"));
    await mkdir(path.join(project.folder, "source", "deeper"), { recursive: true });
    await project.write("key", key.privateKey);
    await project.write("source/one.txt", "one");
    await writeFile(path.join(project.folder, "source", "deeper", "big"), Buffer.alloc(300_000, 7));
  });

  after(async () => {
    await project.dispose();
    await server.stop();
  });

  /** Copies by name: where to, and what, as JavaScript. */
  const up = async (
    copies: Readonly<Record<string, readonly [string, string]>>,
  ): Promise<EngineRun> => {
    const resources = Object.entries(copies).map(
      ([name, [to, source]]) =>
        `new remote.CopyToRemote('${name}', { connection, remotePath: '${remote}/${to}', source: ${source} });`,
    );
    await project.program(`
      import { readFileSync } from "node:fs";
      import { asset } from "@pulumi/pulumi";
      import { remote } from "@pulumi/command";
      const connection = { host: '127.0.0.1', port: ${String(server.port)}, dialErrorLimit: 1,
        privateKey: readFileSync('key', 'utf8'), hostKey: '${hostKey.publicKey}' };
      ${resources.join("\n")}
    `);
    return project.up();
  };

  const remoteFiles = async (): Promise<string[]> => {
    const entries = await readdir(remote, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(remote, path.join(entry.parentPath, entry.name)))
      .sort();
  };

  const copies = {
    folder: ["folder", "new asset.FileArchive('source')"],
    content: ["content", "new asset.FileArchive('source/')"],
    into: ["existing", "new asset.FileArchive('source')"],
    file: ["renamed.txt", "new asset.FileAsset('source/one.txt')"],
    fileInto: ["existing", "new asset.FileAsset('source/one.txt')"],
    text: ["text.txt", "new asset.StringAsset('text')"],
  } as const;

  it("puts folders, files and texts where the remote path says, depending on what is there", async () => {
    const run = await up(copies);
    assert.equal(run.exitCode, 0, run.text);
    assert.deepEqual(await remoteFiles(), [
      "content/deeper/big",
      "content/one.txt",
      "existing/one.txt",
      "existing/source/deeper/big",
      "existing/source/one.txt",
      "folder/source/deeper/big",
      "folder/source/one.txt",
      "renamed.txt",
      "text.txt",
    ]);
    assert.equal(await readFile(path.join(remote, "text.txt"), "utf8"), "text");
    const big = await readFile(path.join(remote, "content", "deeper", "big"));
    assert.ok(big.equals(Buffer.alloc(300_000, 7)));
    const again = await project.preview("--expect-no-changes");
    assert.equal(again.exitCode, 0, again.text);
    await eventually("all connections are closed", () => (server.open === 0 ? true : undefined));
  });

  it("copies again what changed, and only that; deletes nothing", async () => {
    await project.write("source/one.txt", "two");
    await writeFile(path.join(remote, "text.txt"), "changed on the host");
    const run = await up(copies);
    const updated = Object.entries(run.steps).filter(([, steps]) => steps.includes("update"));
    assert.deepEqual(
      updated.map(([name]) => name).sort(),
      ["content", "file", "fileInto", "folder", "into"],
      run.text,
    );
    assert.equal(await readFile(path.join(remote, "renamed.txt"), "utf8"), "two");
    assert.equal(await readFile(path.join(remote, "text.txt"), "utf8"), "changed on the host");

    const before = await remoteFiles();
    const removed = await up({});
    assert.equal(removed.exitCode, 0, removed.text);
    assert.deepEqual(await remoteFiles(), before);
  });

  it("fails where the remote path cannot take the source", async () => {
    const run = await up({
      overFile: ["renamed.txt", "new asset.FileArchive('source')"],
      noParent: ["missing/parent.txt", "new asset.StringAsset('text')"],
      textOverFolder: ["existing", "new asset.StringAsset('text')"],
    });
    const error = (name: string): string =>
      run.messages.find(({ resource, severity }) => resource === name && severity === "error")
        ?.text ?? "";
    assert.match(error("overFile"), /renamed\.txt/);
    assert.match(error("noParent"), /missing\/parent\.txt/);
    assert.match(error("textOverFolder"), /existing is a directory/);
  });
});
