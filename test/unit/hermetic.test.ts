import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import { projectRoot } from "../../toolchain/project.ts";

/** Tests that start programs, or look at what a shell, a user or a host has set. */
const files = [
  "cli/console",
  "cli/doctor-findings",
  "cli/existing-machines",
  "cli/fetch",
  "cli/followed-streams",
  "cli/lab",
  "cli/recovery",
  "cli/status",
  "cli/user-kubeconfig",
  "controlplane/kubeconfig",
  "linux/linux-node",
  "machine/existing-machines",
  "machine/libvirt-machine",
  "machine/volumes",
  "policy/rules",
  "preflight/gathered-facts",
  "stacks/absent-libvirt",
  "toolchain/cache",
  "toolchain/download",
  "toolchain/engine",
  "toolchain/host",
  "toolchain/tools",
  "windows-image/windows-iso",
  "windows/step-folders",
];

/** Titles of those that only root can run, and that skip themselves for everybody else. */
const onlyForRoot: readonly string[] = [];

const nowhere = "/nonexistent";

/** What a shell may have set: what `make env` prints, for another clone, and what programs that the tests run obey. */
const hostile = {
  PULUMI_STACK: "another",
  PULUMI_HOME: nowhere,
  PULUMI_BACKEND_URL: `file://${nowhere}`,
  PULUMI_CONFIG_PASSPHRASE: "another",
  PULUMI_CONFIG: '{"kindows:cni":"another"}',
  PULUMI_IGNORE_AMBIENT_PLUGINS: "false",
  PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "false",
  KINDOWS_GONE: "win-1",
  KINDOWS_LAB: "another",
  STACK: "another",
  KUBECONFIG: nowhere,
  DOCKER_HOST: `unix://${nowhere}`,
  LIBVIRT_DEFAULT_URI: "test:///default",
  SSH_AUTH_SOCK: nowhere,
  GIT_DIR: nowhere,
  GIT_CONFIG_GLOBAL: nowhere,
  CURL_CA_BUNDLE: nowhere,
  https_proxy: "http://127.0.0.1:1",
  XDG_CONFIG_HOME: nowhere,
  XDG_CACHE_HOME: nowhere,
  XDG_DATA_HOME: nowhere,
  XDG_RUNTIME_DIR: nowhere,
  TZ: "Pacific/Chatham",
  LANG: "tr_TR.UTF-8",
  LC_ALL: "tr_TR.UTF-8",
};

/** Without folders of root's own, which others may not look into. */
const searchPath = `${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`;

interface Report {
  readonly passes: readonly unknown[];
  readonly pending: readonly { readonly fullTitle: string }[];
  readonly failures: readonly { readonly fullTitle: string; readonly err: { message?: string } }[];
}

describe("tests that depend on their surroundings", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "kindows-hermetic-"));
    await chmod(folder, 0o711);
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("pass in a hostile shell as nobody, who must be able to read the clone", async function () {
    const [home, temporary] = [path.join(folder, "home"), path.join(folder, "tmp")];
    await mkdir(home, { mode: 0o555 });
    await mkdir(temporary);
    await chmod(temporary, 0o777);
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const options = { ...nobody, cwd: projectRoot, extendEnv: false, reject: false, all: true };
    const look = "require('node:fs').accessSync('test/unit/hermetic.test.ts')";
    if ((await execa(process.execPath, ["-e", look], options)).failed) this.skip();

    const result = path.join(temporary, "result.json");
    const mocha = ["node_modules/mocha/bin/mocha.js", "--reporter", "json"];
    const tests = files.map((name) => `test/unit/${name}.test.ts`);
    const { all } = await execa(
      "sh",
      [
        ...["-c", 'umask 077 && exec "$@"', "sh", process.execPath, ...mocha],
        ...["--reporter-option", `output=${result}`, ...tests],
      ],
      { ...options, env: { ...hostile, PATH: searchPath, HOME: home, TMPDIR: temporary } },
    );
    const text = await readFile(result, "utf8").catch(() => assert.fail(all));
    const { passes, pending, failures } = JSON.parse(text) as Report;
    const failed = failures.map(({ fullTitle, err }) => `${fullTitle}: ${err.message ?? ""}`);
    assert.deepEqual(failed, []);
    const skipped = pending.map(({ fullTitle }) => fullTitle);
    assert.deepEqual(skipped, onlyForRoot);
    assert.ok(passes.length > 10 * files.length, `${passes.length} tests`);
    assert.deepEqual(await readdir(home), []);
    const left = (await readdir(temporary)).filter((name) => !/^(result\.json|tsx-.*)$/.test(name));
    assert.deepEqual(left, [], "left behind in the folder for temporary files");
  });
});
