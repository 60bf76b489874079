import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { PropertyMap } from "../../../plugins/protocol/property-value.ts";
import { eventually } from "../../engine/plugins/support/eventually.ts";
import { Plugin, type Resource, type Step } from "../../engine/plugins/support/plugin.ts";
import { makeKey, SshServer } from "../../engine/plugins/support/ssh-server.ts";
import { newFolder } from "../new-folder.ts";

const signature = "4dabf18193072939515e22adb298388d";
const [asset, archive] = ["c44067f5952c0a294b673a41bacd8c17", "0def7320c3a5731c473e5ecbe6d01bc7"];

describe("command.remote.CopyToRemote", () => {
  const hostKey = makeKey();
  const key = makeKey();
  let plugin: Plugin;
  let server: SshServer;
  const folder = newFolder();
  const local = (name: string): string => path.join(folder, "source", name);
  const remote = (name: string): string => path.join(folder, "remote", name);

  before(async () => {
    await mkdir(remote("existing"), { recursive: true });
    await mkdir(local("deeper"), { recursive: true });
    await writeFile(local("one.txt"), "one");
    await writeFile(local("deeper/big"), Buffer.alloc(300_000, 7));
    plugin = await Plugin.start("command");
    server = await SshServer.start({ hostKey, authorizedKeys: [key.publicKey] });
  });
  after(async () => {
    await server.stop();
    await plugin.stop();
  });

  /** Assets and archives as the engine sends them; their hashes are by content. */
  const ofFile = (kind: string, file: string, content: string): PropertyMap => ({
    [signature]: kind,
    path: file,
    hash: createHash("sha256").update(content).digest("hex"),
  });
  const text = { [signature]: asset, text: "text", hash: "of the text" };
  /** Where to, and what, while the file has this content. */
  const copies = (content: string): Readonly<Record<string, readonly [string, PropertyMap]>> => ({
    folder: ["folder", ofFile(archive, path.join(folder, "source"), content)],
    content: ["content", ofFile(archive, `${folder}/source/`, content)],
    into: ["existing", ofFile(archive, path.join(folder, "source"), content)],
    file: ["renamed.txt", ofFile(asset, local("one.txt"), content)],
    fileInto: ["existing", ofFile(asset, local("one.txt"), content)],
    text: ["text.txt", text],
  });
  const inputs = ([to, source]: readonly [string, PropertyMap], more = {}): PropertyMap => ({
    connection: {
      ...{ host: "127.0.0.1", port: server.port, dialErrorLimit: 1 },
      ...{ privateKey: key.privateKey, hostKey: hostKey.publicKey, ...more },
    },
    remotePath: remote(to),
    source,
  });
  const resources: Record<string, Resource> = {};
  const up = async (content: string, more = {}): Promise<Record<string, Step[]>> => {
    const steps: Record<string, Step[]> = {};
    for (const [name, copy] of Object.entries(copies(content))) {
      const resource = (resources[name] ??= plugin.resource("command:remote:CopyToRemote", name));
      steps[name] = await resource.up(inputs(copy, more));
    }
    return steps;
  };
  const remoteFiles = async (): Promise<string[]> => {
    const entries = await readdir(remote(""), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(remote(""), path.join(entry.parentPath, entry.name)))
      .sort();
  };

  it("puts folders, files and texts where the remote path says, depending on what is there", async () => {
    await up("one");
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
    assert.equal(await readFile(remote("text.txt"), "utf8"), "text");
    assert.ok((await readFile(remote("content/deeper/big"))).equals(Buffer.alloc(300_000, 7)));
    assert.ok(Object.values(await up("one")).every(([step]) => step === "same"));
    await eventually("all connections are closed", () => (server.open === 0 ? true : undefined));
  });

  it("copies again what changed, and only that; nothing where only the connection did; deletes nothing", async () => {
    await writeFile(local("one.txt"), "two");
    await writeFile(remote("text.txt"), "changed on the host");
    const steps = await up("two");
    const updated = Object.keys(steps).filter((name) => steps[name]?.[0] === "update");
    assert.deepEqual(updated.sort(), ["content", "file", "fileInto", "folder", "into"]);
    assert.equal(await readFile(remote("renamed.txt"), "utf8"), "two");
    assert.equal(await readFile(remote("text.txt"), "utf8"), "changed on the host");

    const { accepted } = server;
    const moved = await up("two", { perDialTimeout: 7 });
    assert.ok(Object.values(moved).every(([step]) => step === "update"));
    assert.equal(server.accepted, accepted);

    const before = await remoteFiles();
    for (const resource of Object.values(resources)) await resource.delete();
    assert.deepEqual(await remoteFiles(), before);
  });

  const refused: readonly [string, string, () => PropertyMap, RegExp][] = [
    [
      "a folder over a file",
      "renamed.txt",
      () => ofFile(archive, local(""), "two"),
      /renamed\.txt/,
    ],
    ["a text without its folder", "missing/parent.txt", () => text, /missing\/parent\.txt/],
    ["a text over a folder", "existing", () => text, /existing is a directory/],
  ];
  for (const [what, to, source, why] of refused) {
    it(`fails for ${what}`, async () => {
      const failing = plugin.resource("command:remote:CopyToRemote", "failing");
      await assert.rejects(failing.up(inputs([to, source()])), why);
    });
  }
});
