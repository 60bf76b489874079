import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";

import { backendUrl } from "../../../cli/engine/backend-url.ts";
import { engineEnvironment } from "../../../cli/engine/environment.ts";
import { builtTool } from "../../../toolchain/built.ts";

const repository = path.resolve(import.meta.dirname, "../../..");
const files = path.join(repository, "test/unit/config/bad-settings");
const stack = "dev";

/** The seal of the stack, which opens with the empty passphrase; of the committed file. */
const salt = /^encryptionsalt: .*$/m;

/** The longest any of the commands may take; none of them waits for anything. */
const limitSeconds = 120;

interface Ended {
  readonly exitCode: number | undefined;
  readonly said: string;
}

/** What the engine is told of a run, one event a line. */
interface EngineEvent {
  readonly resourcePreEvent?: { readonly metadata: { readonly type: string } };
}

describe("bad settings on the real engine", function () {
  this.timeout(300_000);
  let folder: string;
  let environment: NodeJS.ProcessEnv;
  let seal: string;

  const run = async (program: string, args: readonly string[]): Promise<Ended> => {
    const { exitCode, all } = await execa(program, args, {
      cwd: folder,
      env: environment,
      extendEnv: false,
      reject: false,
      all: true,
      stdin: "ignore",
      timeout: limitSeconds * 1000,
    });
    return { exitCode, said: all };
  };
  const pulumi = (...args: readonly string[]): Promise<Ended> =>
    run(builtTool("pulumi"), [...args, "--stack", stack, "--non-interactive", "--color", "never"]);
  const put = async (name: string): Promise<void> => {
    const text = await readFile(path.join(files, `${name}.yaml`), "utf8");
    const sealed = salt.test(text) ? text : `${text}\n${seal}\n`;
    await writeFile(path.join(folder, `Pulumi.${stack}.yaml`), sealed);
  };
  const errorsOf = async (name: string): Promise<readonly string[]> => {
    const text = await readFile(path.join(files, `${name}.txt`), "utf8");
    return text.split("\n").filter((line) => line.startsWith("  - "));
  };
  const resources = async (): Promise<readonly string[]> => {
    const { said } = await pulumi("stack", "export");
    const state = JSON.parse(said) as {
      readonly deployment: { readonly resources?: readonly { readonly type: string }[] };
    };
    return (state.deployment.resources ?? []).map(({ type }) => type);
  };

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "kindows-bad-settings-"));
    // A clone of its own: the commands look for the settings beside their sources.
    for (const name of await readdir(repository)) {
      if (/^(\.|Pulumi\.(?!yaml$)|docs$|test$)/.test(name)) {
        continue;
      }
      const [from, to] = [path.join(repository, name), path.join(folder, name)];
      await (name === "node_modules" ? symlink(from, to) : cp(from, to, { recursive: true }));
    }
    const state = path.join(folder, "state");
    await mkdir(state);
    environment = {
      ...process.env,
      ...engineEnvironment(process.env),
      PULUMI_BACKEND_URL: backendUrl(state),
      PULUMI_CONFIG_PASSPHRASE: "",
      // Makes it take `--event-log`.
      PULUMI_DEBUG_COMMANDS: "true",
      // Nothing of this host may be touched, and nothing may have to be.
      DOCKER_HOST: "unix:///nonexistent/docker.sock",
      LIBVIRT_DEFAULT_URI: "test:///nonexistent",
    };
    const committed = await readFile(path.join(repository, `Pulumi.${stack}.yaml`), "utf8");
    seal = salt.exec(committed)?.[0] ?? assert.fail("the committed stack has no seal");
    await writeFile(path.join(folder, `Pulumi.${stack}.yaml`), committed);
    const made = await pulumi("stack", "init");
    assert.equal(made.exitCode, 0, made.said);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const name of ["everything-at-once", "wrong-namespace", "no-namespace", "left-empty"]) {
    it(`pulumi up, ${name}: all mistakes, no stack trace, nothing made`, async () => {
      await put(name);
      const log = path.join(folder, "events.json");
      await rm(log, { force: true });
      const { exitCode, said } = await pulumi(
        ...["up", "--yes", "--skip-preview", "--event-log", log],
      );
      assert.equal(exitCode, 1, said);
      assertTold(said, await errorsOf(name));
      assert.deepEqual(await asked(log), ["pulumi:pulumi:Stack"]);
      assert.deepEqual(
        (await resources()).filter((type) => type !== "pulumi:pulumi:Stack"),
        [],
      );
    });
  }

  it("pulumi preview: the same", async () => {
    await put("ranges-overlapping");
    const { exitCode, said } = await pulumi("preview");
    assert.equal(exitCode, 1, said);
    assertTold(said, await errorsOf("ranges-overlapping"));
  });

  it("pulumi up, empty: a stack without a word is no lab", async () => {
    await put("empty");
    const { exitCode, said } = await pulumi("up", "--yes", "--skip-preview");
    assert.equal(exitCode, 1, said);
    assertTold(said, await errorsOf("empty"));
  });

  it("pulumi up without a file: as with an empty one", async () => {
    await rm(path.join(folder, `Pulumi.${stack}.yaml`));
    const { exitCode, said } = await pulumi("up", "--yes", "--skip-preview");
    assert.equal(exitCode, 1, said);
    assertTold(said, await errorsOf("empty"));
  });

  for (const name of ["unclosed-quote", "list-instead-of-config"]) {
    it(`pulumi up, ${name}: the engine says itself that it can't read it, and runs nothing`, async () => {
      await put(name);
      const { exitCode, said } = await pulumi("up", "--yes", "--skip-preview");
      assert.notEqual(exitCode, 0, said);
      assert.match(said, /Pulumi\.dev\.yaml|stack config/);
      assertNoTrace(said);
    });
  }

  for (const [command, name] of [
    ["preview", "everything-at-once"],
    ["up", "secrets-in-clear"],
    ["preview", "unclosed-quote"],
    ["up", "no-config-at-all"],
    ["fetch", "two-colons-in-a-line"],
  ] as const) {
    it(`kindows ${command}, ${name}: all mistakes and nothing else, and nothing prepared`, async () => {
      await put(name);
      const { exitCode, said } = await kindows(command, "--stack", stack);
      assert.equal(exitCode, 1, said);
      assert.deepEqual(
        said.split("\n").filter((line) => line.startsWith("  - ")),
        await errorsOf(name),
      );
      assert.match(said, /^kindows: \d+ mistakes? in the settings \(Pulumi\.dev\.yaml\)/);
      assertNoTrace(said);
      assert.deepEqual(await readdir(path.join(folder, ".kindows")), ["program"]);
    });
  }

  it("kindows preview of a stack without a file: which there are, and the nearest", async () => {
    await put("names-only");
    const { exitCode, said } = await kindows("preview", "--stack", "dve");
    assert.equal(exitCode, 1, said);
    assert.equal(
      said,
      'kindows: there is no stack "dve": Pulumi.dve.yaml does not exist. Stacks: dev. Did you mean dev?',
    );
  });

  it("kindows preview of a stack whose file is a folder: that it is one", async () => {
    await rm(path.join(folder, `Pulumi.${stack}.yaml`));
    await mkdir(path.join(folder, `Pulumi.${stack}.yaml`));
    const { exitCode, said } = await kindows("preview", "--stack", stack);
    await rm(path.join(folder, `Pulumi.${stack}.yaml`), { recursive: true });
    assert.equal(exitCode, 1, said);
    assert.match(said, /^kindows: Pulumi\.dev\.yaml is a folder/);
    assertNoTrace(said);
  });

  const kindows = (...args: readonly string[]): Promise<Ended> =>
    run(process.execPath, ["toolchain/program/run.js", "cli/main.ts", ...args]);
});

/** Types of the resources that the engine set out to do something about, from its own log. */
async function asked(log: string): Promise<readonly string[]> {
  const lines = (await readFile(log, "utf8")).split("\n").filter((line) => line !== "");
  return lines.flatMap((line) => {
    const { resourcePreEvent } = JSON.parse(line) as EngineEvent;
    return resourcePreEvent === undefined ? [] : [resourcePreEvent.metadata.type];
  });
}

/** The engine indents what the program says, and may say it twice: in the course of things, and in its summary. */
function assertTold(said: string, errors: readonly string[]): void {
  const told = said.split("\n").map((line) => line.trim());
  // Of a section without anything in it the engine makes an empty text.
  const problems = told
    .filter((line) => line.startsWith("- "))
    .map((line) => line.replace(': "" is empty', ": is empty"));
  assert.deepEqual(
    [...new Set(problems)],
    errors.map((error) => error.trim()),
    said,
  );
  assertNoTrace(said);
}

function assertNoTrace(said: string): void {
  assert.doesNotMatch(said, /^\s+at .+:\d+/m);
  assert.doesNotMatch(said, /unhandled|TypeError|node:internal/i);
}
