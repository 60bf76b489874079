import assert from "node:assert/strict";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { mock } from "node:test";
import { parse } from "yaml";

import { kubeconfigContexts } from "../../../../cli/lab/kubeconfig-contexts.ts";
import { sweepLeftovers } from "../../../../cli/lab/sweep.ts";
import {
  mergeIntoFiles,
  refreshInFiles,
  removeFromFiles,
} from "../../../../cli/kubeconfig/user-files.ts";
import { reachableKubeconfig } from "../../../../components/controlplane/kubeconfig.ts";
import { kubeconfig } from "../../controlplane/fixture-kubeconfig.ts";
import { recordedHost } from "../lab/recorded-host.ts";

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
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "kindows-kubeconfig-"));
    file = path.join(folder, "config");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  afterEach(() => mock.restoreAll());

  const text = (): Promise<string> => readFile(file, "utf8");
  const config = async (): Promise<Config> => parse(await text()) as Config;
  const names = async (): Promise<readonly string[]> =>
    (await config()).contexts.map(({ name }) => name);

  it("gets a lab's context beside what is in it, and comes out of it as it was", async () => {
    await writeFile(file, mine, { mode: 0o644 });
    assert.deepEqual(await mergeIntoFiles([file], lab, plain), {
      file,
      written: true,
      overwritten: [],
    });
    const merged = await config();
    assert.deepEqual(await names(), ["prod", "kindows-a"]);
    assert.equal(merged["current-context"], "prod");
    assert.equal(merged.clusters[1]?.cluster.server, "https://192.168.150.128:6443");
    for (const line of mine.split("\n")) {
      assert.ok((await text()).includes(line.trim().replace(/ +#/, " #")), `${line} is kept`);
    }
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(folder), ["config"]);

    assert.deepEqual(await removeFromFiles([file], origin), [
      `context kindows-a from ${file}`,
      `cluster kindows-a from ${file}`,
      `user kindows-a from ${file}`,
    ]);
    assert.deepEqual(parse(await text()), parse(mine));
    assert.ok((await text()).startsWith("# my clusters\n"));
  });

  it("is not written again when the context is there already", async () => {
    await writeFile(file, mine);
    await mergeIntoFiles([file], lab, plain);
    const before = await stat(file);
    assert.equal((await mergeIntoFiles([file], lab, plain)).written, false);
    assert.equal((await stat(file)).ino, before.ino);
  });

  it("holds two stacks side by side, each of which goes alone", async () => {
    const other = { project: "/clone", stack: "b" };
    await mergeIntoFiles([file], lab, plain);
    await mergeIntoFiles([file], labKubeconfig("kindows-b"), { ...plain, origin: other });
    assert.deepEqual(await names(), ["kindows-a", "kindows-b"]);
    await removeFromFiles([file], origin);
    assert.deepEqual(await names(), ["kindows-b"]);
    assert.deepEqual(
      (await config()).users.map(({ name }) => name),
      ["kindows-b"],
    );
  });

  it("is made for its owner only, folder included, where there is none", async () => {
    file = path.join(folder, "new", "config");
    await mergeIntoFiles([file], lab, plain);
    assert.deepEqual(await names(), ["kindows-a"]);
    assert.equal((await config())["current-context"], undefined);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.equal((await stat(path.dirname(file))).mode & 0o777, 0o700);
  });

  it("switches only when told to, and back to where it was", async () => {
    await writeFile(file, mine);
    await mergeIntoFiles([file], lab, { ...plain, use: true });
    assert.equal((await config())["current-context"], "kindows-a");
    await mergeIntoFiles([file], lab, { ...plain, use: true });
    await mergeIntoFiles([file], lab, plain);
    assert.equal((await config())["current-context"], "kindows-a");
    await removeFromFiles([file], origin);
    assert.deepEqual(parse(await text()), parse(mine));
  });

  it("works with nothing when the context it worked with before is gone too", async () => {
    await writeFile(file, mine);
    await mergeIntoFiles([file], lab, { ...plain, use: true });
    await writeFile(file, (await text()).replaceAll("prod", "renamed"));
    await writeFile(file, (await text()).replace("before: renamed", "before: gone"));
    await removeFromFiles([file], origin);
    assert.equal((await config())["current-context"], "");
  });

  it("keeps the namespace somebody chose for the context", async () => {
    await mergeIntoFiles([file], lab, plain);
    const chosen = (await text()).replace(/^( +)user: kindows-a$/m, "$&\n$1namespace: x");
    await writeFile(file, chosen);
    await mergeIntoFiles([file], labKubeconfig("kindows-a", "192.168.150.129"), plain);
    assert.equal((await config()).contexts[0]?.context.namespace, "x");
    assert.equal((await config()).clusters[0]?.cluster.server, "https://192.168.150.129:6443");
  });

  it("loses the former name of a lab that has another one by now", async () => {
    await mergeIntoFiles([file], labKubeconfig("kindows-old"), { ...plain, use: true });
    await mergeIntoFiles([file], lab, plain);
    assert.deepEqual(await names(), ["kindows-a"]);
    assert.equal((await config())["current-context"], "");
  });

  const foreign: readonly (readonly [string, string, RegExp])[] = [
    [
      "by hand",
      "contexts: [{ name: kindows-a, context: { cluster: x, user: y } }]",
      /- context kindows-a, of unknown origin/,
    ],
    [
      "by another stack",
      JSON.stringify({
        users: [
          {
            name: "kindows-a",
            user: {
              extensions: [{ name: "kindows", extension: { project: "/other", stack: "z" } }],
            },
          },
        ],
      }),
      /- user kindows-a, of the stack z of the project in \/other/,
    ],
  ];
  for (const [who, content, message] of foreign) {
    it(`keeps an entry of the same name made ${who}, unless told to overwrite it`, async () => {
      await writeFile(file, content);
      await assert.rejects(mergeIntoFiles([file], lab, plain), (error: Error) => {
        assert.match(error.message, message);
        assert.match(error.message, /--force/);
        return true;
      });
      assert.equal(await text(), content);
      assert.deepEqual(await removeFromFiles([file], origin), []);
      assert.equal(await text(), content);

      const { overwritten } = await mergeIntoFiles([file], lab, { ...plain, force: true });
      assert.equal(overwritten.length, 1);
      assert.deepEqual(await names(), ["kindows-a"]);
    });
  }

  const damaged: readonly (readonly [string, string, RegExp])[] = [
    ["broken YAML", "users:\n- user: {token: s3cret", /not YAML at line 2, column \d+/],
    ["a tab", "users:\n\t- name: s3cret", /not YAML at line 2/],
    ["two documents", "a: 1\n---\nb: s3cret\n", /not YAML at line 2/],
    ["a list", "- s3cret\n", /it is not a mapping/],
    ["a word", "s3cret", /it is not a mapping/],
    ["clusters that are none", "clusters: s3cret\n", /`clusters` is not a list/],
    ["a user without a name", "users: [{ user: { token: s3cret } }]\n", /`users` is not a list/],
  ];
  for (const [what, content, message] of damaged) {
    it(`stays as it is with ${what} in it; the error shows nothing of it`, async () => {
      await writeFile(file, content);
      for (const attempt of [
        () => mergeIntoFiles([file], lab, plain),
        () => removeFromFiles([file], origin),
      ]) {
        await assert.rejects(attempt, (error: Error) => {
          assert.match(error.message, message);
          assert.ok(error.message.startsWith(`${file} is not a kubeconfig`));
          assert.ok(!error.message.includes("s3cret"));
          return true;
        });
      }
      assert.equal(await text(), content);
    });
  }

  for (const content of ["", "\n", "# nothing yet\n", "null\n", "contexts: null\nusers: []\n"]) {
    it(`that says nothing gets the context: ${JSON.stringify(content)}`, async () => {
      await writeFile(file, content);
      await mergeIntoFiles([file], lab, plain);
      assert.deepEqual(await names(), ["kindows-a"]);
    });
  }

  it("stays JSON where it is JSON", async () => {
    await writeFile(file, JSON.stringify({ apiVersion: "v1", contexts: [], clusters: [] }));
    await mergeIntoFiles([file], lab, plain);
    assert.equal((JSON.parse(await text()) as Config).contexts[0]?.name, "kindows-a");
  });

  it("that is read-only stays as it is", async () => {
    await writeFile(file, mine);
    await chmod(file, 0o400);
    await assert.rejects(mergeIntoFiles([file], lab, plain), /is read-only.*chmod u\+w/);
    assert.equal(await text(), mine);
    assert.deepEqual(await readdir(folder), ["config"]);
  });

  it("that is a folder is told", async () => {
    await mkdir(file);
    await assert.rejects(mergeIntoFiles([file], lab, plain), /cannot read .*config: EISDIR/);
  });

  it("that is a link stays one; what it points to is changed", async () => {
    const real = path.join(folder, "dotfiles");
    await writeFile(real, mine);
    await symlink("dotfiles", file);
    await mergeIntoFiles([file], lab, plain);
    assert.ok((await lstat(file)).isSymbolicLink());
    assert.equal((await stat(real)).mode & 0o777, 0o600);
    assert.deepEqual(await names(), ["prod", "kindows-a"]);
    await removeFromFiles([file], origin);
    assert.deepEqual(parse(await readFile(real, "utf8")), parse(mine));
  });

  it("that is a link to nothing is told", async () => {
    await symlink("nowhere", file);
    await assert.rejects(
      mergeIntoFiles([file], lab, plain),
      /is a link to something that does not/,
    );
  });

  it("is the one that has the context, else the first that exists, else the last", async () => {
    const [first, second, third] = ["1", "2", "3"].map((name) => path.join(folder, name)) as [
      string,
      string,
      string,
    ];
    const files = [first, second, third];
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
    await assert.rejects(mergeIntoFiles([file], lab, plain), /config\.lock is there.*remove that/);
    assert.equal(await text(), mine);
  });

  it("is brought up to date only where the context is in it", async () => {
    const said: string[] = [];
    const refresh = (kubeconfigOfLab: string): Promise<void> =>
      refreshInFiles(
        [file],
        origin,
        () => Promise.resolve(kubeconfigOfLab),
        (line) => said.push(line),
      );
    await writeFile(file, mine);
    await refresh(lab);
    assert.equal(await text(), mine);
    await mergeIntoFiles([file], lab, plain);
    await refresh(lab);
    assert.deepEqual(said, []);
    await refresh(labKubeconfig("kindows-a", "192.168.150.200"));
    assert.equal((await config()).clusters[1]?.cluster.server, "https://192.168.150.200:6443");
    assert.match(said.join("\n"), /^brought the context of a in .* up to date$/);
    await writeFile(file, "{");
    await refresh(lab);
    assert.match(said[1] ?? "", /not brought up to date: .* is not a kubeconfig/);
  });

  it("loses what a lab left when that goes down, whoever put it there", async () => {
    await writeFile(file, mine);
    await mergeIntoFiles([file], lab, { ...plain, use: true });
    const said: string[] = [];
    const before = process.env["KUBECONFIG"];
    process.env["KUBECONFIG"] = file;
    try {
      const scope = { lab: "kindows-a", owned: new Set<string>() };
      await sweepLeftovers(scope, recordedHost({}), (line) => said.push(line), [
        kubeconfigContexts,
      ]);
    } finally {
      if (before === undefined) {
        delete process.env["KUBECONFIG"];
      } else {
        process.env["KUBECONFIG"] = before;
      }
    }
    assert.equal(said.length, 3);
    assert.deepEqual(parse(await text()), { ...(parse(mine) as Config), "current-context": "" });
  });
});
