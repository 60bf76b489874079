import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { EngineProject } from "./support/engine.ts";
import { eventually, processGone } from "./support/eventually.ts";
import { official } from "./support/installed-plugins.ts";

describe("the Node.js language host in the engine", function () {
  this.timeout(60_000);
  let project: EngineProject;

  before(async () => {
    project = await EngineProject.create({ KINDOWS_TEST_INHERITED: "inherited" });
  });

  after(() => project.dispose());

  const runtime = (options: string): Promise<void> =>
    project.write("Pulumi.yaml", `name: test\nruntime: { name: nodejs, options: ${options} }\n`);

  it("hands environment, configuration and secrets to the program, run with the given arguments", async () => {
    await runtime("{ typescript: false, nodeargs: '--import tsx --title \"a title\"' }");
    await project.run(["config", "set", "plain", "value"]);
    await project.run(["config", "set", "--secret", "hidden", "hunter2-hunter2"]);
    await project.write("package.json", '{ "type": "module", "main": "index.ts" }');
    await project.write(
      "index.ts",
      `import * as pulumi from "@pulumi/pulumi";
       const config = new pulumi.Config();
       const inherited: string = process.env["KINDOWS_TEST_INHERITED"] ?? "";
       export const seen = { inherited, title: process.title, plain: config.require("plain"),
         project: pulumi.getProject(), stack: pulumi.getStack(), dry: pulumi.runtime.isDryRun() };
       export const hidden = config.requireSecret("hidden");`,
    );
    const up = await project.up();
    assert.equal(up.exitCode, 0, up.text);
    assert.doesNotMatch(up.text, /hunter2/);
    assert.deepEqual(await project.outputs(), {
      seen: {
        inherited: "inherited",
        title: "a title",
        plain: "value",
        project: "test",
        stack: "dev",
        dry: false,
      },
      hidden: "hunter2-hunter2",
    });
    await project.write("package.json", '{ "type": "module", "main": "index.js" }');
    await runtime("{ typescript: false }");
  });

  const failures: readonly { what: string; program: string; text: RegExp }[] = [
    {
      what: "an error in the program",
      program: `throw new Error("it went wrong");`,
      text: /it went wrong/,
    },
    {
      what: "an exit code",
      program: `process.exit(7);`,
      text: /exit(ed with|).*code:? 7/,
    },
    {
      what: "a rejected promise nobody waits for",
      program: `void Promise.reject(new Error("left alone"));`,
      text: /left alone/,
    },
  ];
  for (const { what, program, text } of failures) {
    it(`fails for ${what}`, async () => {
      await project.program(program);
      const up = await project.up();
      assert.notEqual(up.exitCode, 0);
      assert.match(up.text, text);
    });
  }

  it("refuses a runtime option it does not know", async function () {
    // The official one leaves it out.
    if (official) this.skip();
    await runtime("{ typescript: false, nodeArgs: '--import tsx' }");
    const up = await project.up();
    assert.notEqual(up.exitCode, 0);
    assert.match(up.text, /runtime option nodeArgs .*supported: typescript, tsconfig, nodeargs/);
    await runtime("{ typescript: false }");
  });

  it("tells the engine which plugins the program's packages need", async () => {
    const missing = path.join(project.folder, "packages", "node_modules", "missing");
    await mkdir(missing, { recursive: true });
    const pulumi = { resource: true, name: "missing", version: "1.2.3" };
    await writeFile(
      path.join(missing, "package.json"),
      JSON.stringify({ name: "missing", pulumi }),
    );
    await project.write(
      "packages/package.json",
      '{ "type": "module", "main": "index.js", "dependencies": { "missing": "1.2.3" } }',
    );
    await project.write(
      "Pulumi.yaml",
      "name: test\nmain: packages\nruntime: { name: nodejs, options: { typescript: false } }\n",
    );
    const about = await project.run(["about", "--json"]);
    const { plugins, runtime: host } = JSON.parse(about.text) as {
      plugins: { name: string; version: string | null }[];
      runtime: { executable: string };
    };
    assert.deepEqual(
      plugins.find(({ name }) => name === "missing"),
      { name: "missing", version: "1.2.3", kind: "resource" },
    );
    assert.match(host.executable, /node/);
    await runtime("{ typescript: false }");
  });

  it("ends the program when the engine is killed", async () => {
    await project.write("pid", "");
    await project.program(`
      import { writeFileSync } from "node:fs";
      writeFileSync("pid", String(process.pid));
      setInterval(() => undefined, 1000);
    `);
    const engine = project.start(["up", "--yes", "--skip-preview"]);
    const program = await eventually("the program runs", async () => {
      const pid = Number(await readFile(path.join(project.folder, "pid"), "utf8"));
      return pid > 0 ? pid : undefined;
    });
    engine.kill("SIGKILL");
    await processGone(program);
    await project.run(["cancel", "--yes"]);
  });
});
