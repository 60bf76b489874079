import assert from "node:assert/strict";
import { chmod, lstat, mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { mock } from "node:test";
import { parse } from "yaml";

import { kubeconfigEntries } from "../../../cli/host-resources/kubeconfig-entries.ts";
import { removeOrphans } from "../../../cli/host-resources/host-resources.ts";
import {
  mergeIntoFiles,
  refreshInFiles,
  removeFromFiles,
} from "../../../cli/kubeconfig/lab-entries.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { reachableKubeconfig } from "../../../host/kubernetes/kubeconfig.ts";
import { kubeconfig } from "../controlplane/fixture-kubeconfig.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";
import { recordedHost } from "./recorded-host.ts";

/** What a lab's own kubeconfig looks like. */
function labKubeconfig(name: string, address = "192.168.150.128"): string {
  return reachableKubeconfig(kubeconfig("https://127.0.0.1:6443"), { name, address });
}

const origin = { project: "/clone", stack: "a" };
const plain = { origin, use: false, force: false };
const lab = labKubeconfig("kindows-a");

const mine = `# my clusters
apiVersion: v1
kind: Config
preferences: {}
clusters:
- name: prod   # not to be touched
  cluster:
    server: https://prod.example.com
    insecure-skip-tls-verify: yes
contexts:
- name: prod
  context: {cluster: prod, user: me}
current-context: prod
users:
- name: me
  user:
    token: mine
`;

interface Config {
  readonly clusters: readonly { name: string; cluster: { server: string } }[];
  readonly users: readonly { name: string }[];
  readonly contexts: readonly { name: string; context: { namespace?: string } }[];
  readonly "current-context"?: string;
}

describe("a user's own kubeconfig", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = newFolder();
    file = path.join(folder, "config");
  });
  afterEach(() => {
    delete process.env["KUBECONFIG"];
    mock.restoreAll();
  });

  const text = (): Promise<string> => readFile(file, "utf8");
  const config = async (): Promise<Config> => parse(await text()) as Config;
  const namesIn = async (section: "contexts" | "users"): Promise<readonly string[]> =>
    (await config())[section].map(({ name }) => name);
  const names = (): Promise<readonly string[]> => namesIn("contexts");
  const current = async (): Promise<string | undefined> => (await config())["current-context"];
  const server = async (at: number): Promise<string | undefined> =>
    (await config()).clusters[at]?.cluster.server;
  const mode = async (name: string): Promise<number> => (await stat(name)).mode & 0o777;
  const merge = (change: Partial<typeof plain> = {}, kubeconfigOfLab = lab) =>
    mergeIntoFiles([file], kubeconfigOfLab, { ...plain, ...change });
  const remove = (): Promise<readonly string[]> => removeFromFiles([file], origin);

  it("gets a lab's context beside what is in it, and comes out of it as it was", async () => {
    await writeFile(file, mine, { mode: 0o644 });
    assert.deepEqual(await merge(), { file, written: true, overwritten: [] });
    assert.deepEqual(await names(), ["prod", "kindows-a"]);
    assert.equal(await current(), "prod");
    assert.equal(await server(1), "https://192.168.150.128:6443");
    for (const line of mine.split("\n")) {
      assert.ok((await text()).includes(line.trim().replace(/ +#/, " #")), `${line} is kept`);
    }
    assert.equal(await mode(file), 0o600);
    assert.deepEqual(await readdir(folder), ["config"]);

    const removed = ["context", "cluster", "user"].map((each) => `${each} kindows-a from ${file}`);
    assert.deepEqual(await remove(), removed);
    assert.deepEqual(parse(await text()), parse(mine));
    assert.ok((await text()).startsWith("# my clusters\n"));
  });

  it("is not written again when the context is there already", async () => {
    await writeFile(file, mine);
    await merge();
    const before = await stat(file);
    assert.equal((await merge()).written, false);
    assert.equal((await stat(file)).ino, before.ino);
  });

  it("holds two stacks side by side, each of which goes alone", async () => {
    const other = { project: "/clone", stack: "b" };
    await merge();
    await merge({ origin: other }, labKubeconfig("kindows-b"));
    assert.deepEqual(await names(), ["kindows-a", "kindows-b"]);
    await remove();
    assert.deepEqual(await names(), ["kindows-b"]);
    assert.deepEqual(await namesIn("users"), ["kindows-b"]);
  });

  it("is made for its owner only, folder included, where there is none", async () => {
    file = path.join(folder, "new", "config");
    await merge();
    assert.deepEqual(await names(), ["kindows-a"]);
    assert.equal(await current(), undefined);
    assert.equal(await mode(file), 0o600);
    assert.equal(await mode(path.dirname(file)), 0o700);
  });

  it("switches only when asked to, and back to where it was", async () => {
    await writeFile(file, mine);
    await merge({ use: true });
    assert.equal(await current(), "kindows-a");
    await merge({ use: true });
    await merge();
    assert.equal(await current(), "kindows-a");
    await remove();
    assert.deepEqual(parse(await text()), parse(mine));
  });

  it("works with nothing when the context it worked with before is gone too", async () => {
    await writeFile(file, mine);
    await merge({ use: true });
    await writeFile(file, (await text()).replaceAll("prod", "renamed"));
    await writeFile(file, (await text()).replace("before: renamed", "before: gone"));
    await remove();
    assert.equal(await current(), "");
  });

  it("keeps the namespace somebody chose for the context", async () => {
    await merge();
    const chosen = (await text()).replace(/^( +)user: kindows-a$/m, "$&\n$1namespace: x");
    await writeFile(file, chosen);
    await merge({}, labKubeconfig("kindows-a", "192.168.150.129"));
    assert.equal((await config()).contexts[0]?.context.namespace, "x");
    assert.equal(await server(0), "https://192.168.150.129:6443");
  });

  it("loses the former name of a lab that has another one by now", async () => {
    await merge({ use: true }, labKubeconfig("kindows-old"));
    await merge();
    assert.deepEqual(await names(), ["kindows-a"]);
    assert.equal(await current(), "");
  });

  const ofOther = { name: "kindows", extension: { project: "/other", stack: "z" } };
  const user = { name: "kindows-a", user: { extensions: [ofOther] } };
  const foreign: Readonly<Record<string, readonly [content: string, RegExp]>> = {
    "by hand": [
      "contexts: [{ name: kindows-a, context: { cluster: x, user: y } }]",
      /- context kindows-a, of unknown origin.*--force/s,
    ],
    "by another stack": [
      JSON.stringify({ users: [user] }),
      /- user kindows-a, of the stack z of the project in \/other.*--force/s,
    ],
  };
  eachCase(
    "keeps an entry of the same name made %s, unless asked to overwrite it",
    foreign,
    async ([content, message]) => {
      await writeFile(file, content);
      await assert.rejects(merge(), message);
      assert.deepEqual(await remove(), []);
      assert.equal(await text(), content);
      assert.equal((await merge({ force: true })).overwritten.length, 1);
      assert.deepEqual(await names(), ["kindows-a"]);
    },
  );

  const damaged: Readonly<Record<string, readonly [content: string, RegExp]>> = {
    "broken YAML": ["users:\n- user: {token: s3cret", /not YAML at line 2, column \d+/],
    "a tab": ["users:\n\t- name: s3cret", /not YAML at line 2/],
    "two documents": ["a: 1\n---\nb: s3cret\n", /not YAML at line 2/],
    "a list": ["- s3cret\n", /it is not a mapping/],
    "a word": ["s3cret", /it is not a mapping/],
    "clusters that are none": ["clusters: s3cret\n", /`clusters` is not a list/],
    "a user without a name": ["users: [{ user: { token: s3cret } }]\n", /`users` is not a list/],
  };
  eachCase(
    "stays as it is with %s in it; the error shows nothing of it",
    damaged,
    async ([content, message]) => {
      await writeFile(file, content);
      for (const attempt of [() => merge(), remove]) {
        await assert.rejects(attempt(), (error: Error) => {
          assert.match(error.message, message);
          assert.ok(error.message.startsWith(`${file} is not a kubeconfig`), error.message);
          return !error.message.includes("s3cret");
        });
      }
      assert.equal(await text(), content);
    },
  );

  for (const content of ["", "\n", "# nothing yet\n", "null\n", "contexts: null\nusers: []\n"]) {
    it(`that says nothing gets the context: ${JSON.stringify(content)}`, async () => {
      await writeFile(file, content);
      await merge();
      assert.deepEqual(await names(), ["kindows-a"]);
    });
  }

  it("stays JSON where it is JSON", async () => {
    await writeFile(file, JSON.stringify({ apiVersion: "v1", contexts: [], clusters: [] }));
    await merge();
    assert.equal((JSON.parse(await text()) as Config).contexts[0]?.name, "kindows-a");
  });

  it("that is read-only stays as it is", async () => {
    await writeFile(file, mine);
    await chmod(file, 0o400);
    await assert.rejects(merge(), /is read-only.*chmod u\+w/);
    assert.equal(await text(), mine);
    assert.deepEqual(await readdir(folder), ["config"]);
  });

  it("that is a link stays one; what it points to is changed", async () => {
    const real = path.join(folder, "dotfiles");
    await writeFile(real, mine);
    await symlink("dotfiles", file);
    await merge();
    assert.ok((await lstat(file)).isSymbolicLink());
    assert.equal(await mode(real), 0o600);
    assert.deepEqual(await names(), ["prod", "kindows-a"]);
    await remove();
    assert.deepEqual(parse(await readFile(real, "utf8")), parse(mine));
  });

  const unusable: Readonly<Record<string, readonly [make: () => Promise<unknown>, RegExp]>> = {
    "a folder": [() => mkdir(file), /cannot read .*config: EISDIR/],
    "a link to nothing": [() => symlink("nowhere", file), /is a link to a file that does not/],
  };
  eachCase("that is %s is reported", unusable, async ([make, message]) => {
    await make();
    await assert.rejects(merge(), message);
  });

  it("is the one that has the context, else the first that exists, else the last", async () => {
    const files = ["1", "2", "3"].map((name) => path.join(folder, name));
    const [first = "", second = "", third = ""] = files;
    assert.equal((await mergeIntoFiles(files, lab, plain)).file, third);
    await writeFile(second, mine);
    assert.equal((await mergeIntoFiles(files, lab, plain)).file, third);
    await removeFromFiles(files, origin);
    assert.equal((await mergeIntoFiles([first, second], lab, plain)).file, second);
  });

  it("is not written while somebody else does, who is named", async () => {
    await writeFile(file, mine);
    await writeFile(`${file}.lock`, "");
    // Each look at the clock is a second after the one before.
    let now = Date.now();
    mock.method(Date, "now", () => (now += 1000));
    await assert.rejects(merge(), /config\.lock exists.*remove that/);
    assert.equal(await text(), mine);
  });

  it("is brought up to date only where the context is in it", async () => {
    const said: string[] = [];
    const refresh = (kubeconfigOfLab: string): Promise<void> =>
      refreshInFiles([file], origin, kubeconfigOfLab, (line) => said.push(line));
    await writeFile(file, mine);
    await refresh(lab);
    assert.equal(await text(), mine);
    await merge();
    await refresh(lab);
    assert.deepEqual(said, []);
    await refresh(labKubeconfig("kindows-a", "192.168.150.200"));
    assert.equal(await server(1), "https://192.168.150.200:6443");
    assert.match(said.join("\n"), /^updated the context of a in .*$/);
    await writeFile(file, "{");
    await refresh(lab);
    assert.match(said[1] ?? "", /not updated: .* is not a kubeconfig/);
  });

  const noted = { "this stack of this clone": "", "another clone": "/srv/other-computer" };
  eachCase(
    "keeps what is named as the lab when that goes down, unless it is of %s",
    noted,
    async (project) => {
      await writeFile(file, mine);
      await merge({ origin: { project: project || projectRoot, stack: "a" }, use: true });
      const before = await text();
      const said: string[] = [];
      process.env["KUBECONFIG"] = file;
      const scope = { lab: "kindows-a", owned: new Set<string>() };
      const say = (line: string): unknown => said.push(line);
      const host = { ...recordedHost({}), of: { stack: "a", lab: "kindows-a" } };
      await removeOrphans(scope, host, say, [kubeconfigEntries]);
      if (project !== "") {
        assert.deepEqual(said, []);
        return assert.equal(await text(), before);
      }
      assert.equal(said.length, 3);
      assert.deepEqual(parse(await text()), { ...(parse(mine) as Config), "current-context": "" });
    },
  );
});
