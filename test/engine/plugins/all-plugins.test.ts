import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { bundledPlugins } from "../../../offline/plugins/catalog.ts";
import { ApiServer } from "./support/api-server.ts";
import { EngineProject, succeeded, official } from "./support/engine.ts";
import { processGone, processIn } from "./support/eventually.ts";
import { makeKey, SshServer } from "./support/ssh-server.ts";

/** Inputs of the program's resources. */
interface Variation {
  readonly trigger: number;
  readonly data: string;
  readonly subnet: string;
}

/**
 * One program with a resource of every bundled plugin, run by the real engine: that the two fit. What a plugin does with
 * its resources is decided by the plugin alone, in process: test/unit/offline/plugins, and the other files here.
 */
describe("the engine with all plugins", () => {
  const docker = `kindows-test-${process.pid.toString(36)}-all`;
  const [hostKey, key] = [makeKey(), makeKey()];
  let api: ApiServer;
  let ssh: SshServer;
  let project: EngineProject;

  before(async () => {
    [api, ssh, project] = await Promise.all([
      ApiServer.start(),
      SshServer.start({ hostKey, authorizedKeys: [key.publicKey] }),
      EngineProject.create({ KINDOWS_TEST_INHERITED: "inherited" }),
    ]);
    await project.write("kubeconfig", api.kubeconfig);
    await project.write("key", key.privateKey);
    await project.run(["config", "set", "plain", "value"]);
    await project.run(["config", "set", "--secret", "hidden", "hunter2-hunter2"]);
    await runtime("{ typescript: false, nodeargs: '--import tsx --title \"a title\"' }");
    const packages = bundledPlugins.filter(({ kind }) => kind === "resource");
    const dependencies = packages.map(({ name, version }) => [`@pulumi/${name}`, version] as const);
    await requires(Object.fromEntries(dependencies));
  });
  after(async () => {
    await project.dispose();
    await Promise.all([ssh.stop(), api.stop()]);
    await execa("docker", ["network", "rm", docker], { reject: false });
  });

  const runtime = (options: string): Promise<void> =>
    project.write("Pulumi.yaml", `name: test\nruntime: { name: nodejs, options: ${options} }\n`);
  const requires = (dependencies: Readonly<Record<string, string>>): Promise<void> =>
    project.write(
      "package.json",
      JSON.stringify({ type: "module", main: "index.ts", dependencies }),
    );
  const write = (resources: string): Promise<void> =>
    project.write(
      "index.ts",
      `import { readFileSync } from "node:fs";
       import * as pulumi from "@pulumi/pulumi";
       import { local, remote } from "@pulumi/command";
       import * as docker from "@pulumi/docker";
       import { ConfigMap } from "@pulumi/kubernetes/core/v1/configMap.js";
       import { Secret } from "@pulumi/kubernetes/core/v1/secret.js";
       import { Provider } from "@pulumi/kubernetes/provider.js";
       const config = new pulumi.Config();
       const hidden = config.requireSecret("hidden");
       const connection: remote.CommandArgs["connection"] = {
         host: "127.0.0.1", port: ${String(ssh.port)}, user: "admin",
         privateKey: readFileSync("key", "utf8"), hostKey: "${hostKey.publicKey}",
       };
       ${resources}`,
    );
  const program = ({ trigger, data, subnet }: Variation): Promise<void> =>
    write(`
       const made = new local.Command("made",
         { create: 'echo "$TOKEN $PULUMI_PROJECT"', delete: "echo gone >> journal", environment: { TOKEN: hidden },
           triggers: [${String(trigger)}] },
         { additionalSecretOutputs: ["stdout"] });
       const ran = new remote.Command("ran", { connection, addPreviousOutputInEnv: false, create: "echo ${data}" });
       const source = new pulumi.asset.FileArchive("source");
       new remote.CopyToRemote("copied", { connection, source, remotePath: "${project.folder}/copied" });
       const provider = new Provider("cluster",
         { kubeconfig: pulumi.secret(readFileSync("kubeconfig", "utf8")), clusterIdentifier: "test" });
       // Another configuration is another process of the provider.
       new Provider("elsewhere", { clusterIdentifier: "elsewhere",
         kubeconfig: readFileSync("kubeconfig", "utf8").replace(/server: .*/, "server: https://127.0.0.1:1") });
       new ConfigMap("map", { metadata: { name: "map" }, data: { a: "${data}" } }, { provider });
       new Secret("secret", { metadata: { name: "secret" }, stringData: { password: hidden } }, { provider });
       const network = new docker.Network("network",
         { name: "${docker}", ipamConfigs: [{ subnet: "${subnet}" }] });
       const inherited: string = process.env["KINDOWS_TEST_INHERITED"] ?? "";
       export const seen = { inherited, title: process.title, plain: config.require("plain"),
         project: pulumi.getProject(), stack: pulumi.getStack(), dry: pulumi.runtime.isDryRun() };
       export const outputs = { made: made.stdout, ran: ran.stdout, network: network.name };`);
  const first: Variation = { trigger: 1, data: "one", subnet: "198.18.114.0/24" };

  it("creates everything with the program's configuration, and keeps secrets", async () => {
    await mkdir(path.join(project.folder, "source"));
    await mkdir(path.join(project.folder, "copied"));
    await project.write("source/file", "content");
    await program(first);
    const up = succeeded(await project.up());
    assert.doesNotMatch(up.text, /hunter2/);
    const { seen, outputs } = await project.outputs();
    assert.deepEqual(seen, {
      inherited: "inherited",
      title: "a title",
      plain: "value",
      project: "test",
      stack: "dev",
      dry: false,
    });
    assert.deepEqual(outputs, { made: "hunter2-hunter2 test", ran: "one", network: docker });
    const copied = path.join(project.folder, "copied/source/file");
    assert.equal(await readFile(copied, "utf8"), "content");
    const state = JSON.stringify(await project.state());
    assert.doesNotMatch(state, /hunter2|PRIVATE KEY|"token"/);
    assert.ok(!state.includes(Buffer.from("hunter2-hunter2").toString("base64")));
    // Progress is shown beside the resource that it is about.
    const reported = up.messages
      .filter(({ resource }) => resource === "ran")
      .map(({ text }) => text);
    assert.deepEqual(reported, ["one"]);
  });

  it("updates in place, and replaces in the order that a plugin requires", async () => {
    await program({ trigger: 2, data: "two", subnet: "198.18.115.0/24" });
    const { steps, text } = succeeded(await project.up());
    assert.deepEqual(steps["ran"], ["update"], text);
    assert.deepEqual(steps["made"], ["create-replacement", "replace", "delete-replaced"], text);
    for (const name of ["map", "network"]) {
      const done = steps[name] ?? [];
      assert.ok(done.indexOf("delete-replaced") < done.indexOf("create-replacement"), text);
    }
    assert.deepEqual([steps["copied"], steps["secret"]], [["same"], ["same"]]);
    assert.equal(await readFile(path.join(project.folder, "journal"), "utf8"), "gone\n");
  });

  it("finds in a refresh what is gone, and no other change", async () => {
    await api.request("DELETE", "/api/v1/namespaces/default/configmaps/map");
    await execa("docker", ["network", "rm", docker]);
    succeeded(await project.refresh());
    const left = (await project.state()).map(({ urn }) => urn.slice(urn.lastIndexOf("::") + 2));
    assert.deepEqual(
      ["made", "ran", "copied", "map", "secret", "network"].filter((name) => left.includes(name)),
      ["made", "ran", "copied", "secret"],
    );
  });

  it("destroys what is left", async () => {
    succeeded(await project.destroy());
    assert.deepEqual(await project.state(), []);
  });

  it("reports each failure with its resource, and no secret even in the most verbose log", async () => {
    await write(`
       new local.Command("local", { create: 'echo "env $TOKEN"; exit 3', environment: { TOKEN: hidden } });
       new remote.Command("remote", { connection, addPreviousOutputInEnv: false, create: "echo out; exit 7" });
       new docker.Network("network", { name: "bridge" });`);
    const run = await project.up("--continue-on-error", "--logtostderr", "-v=9", "--logflow");
    assert.notEqual(run.exitCode, 0);
    const error = (name: string): string =>
      run.messages.find(({ resource, severity }) => resource === name && severity === "error")
        ?.text ?? "";
    assert.match(error("local"), /exit status 3: running "echo .*env /s);
    assert.match(
      error("remote"),
      /Process exited with status 7: running "echo out; exit 7":\n\s*out/,
    );
    assert.match(error("network"), /predefined bridge network/);
    if (!official) assert.doesNotMatch(JSON.stringify(run.messages), /hunter2/);
  });

  it("reports a program's error", async () => {
    await write(`throw new Error("it went wrong");`);
    const run = await project.up();
    assert.notEqual(run.exitCode, 0);
    assert.match(run.text, /it went wrong/);
  });

  it("lists the plugins that the program's packages need", async () => {
    const command = bundledPlugins.find(({ name }) => name === "command") ?? assert.fail();
    await requires({ "@pulumi/command": command.version });
    const about = JSON.parse((await project.run(["about", "--json"])).text) as {
      plugins: { name: string; version: string | null }[];
      runtime: { executable: string };
    };
    const needed = about.plugins.filter(({ name }) => name === command.name);
    assert.deepEqual(needed, [{ name: command.name, version: command.version, kind: "resource" }]);
    assert.match(about.runtime.executable, /node/);
  });

  it("ends program and commands when it is killed", async function () {
    if (official) this.skip(); // The official plugin leaves the command behind.
    await runtime("{ typescript: false, nodeargs: '--import tsx' }");
    await write(`
       import { writeFileSync } from "node:fs";
       writeFileSync("program", process.pid + "\\n");
       setInterval(() => undefined, 1000);
       new local.Command("sleeper", { create: "cp /proc/$PPID/cmdline host; echo $$ > command; exec sleep 3000" });`);
    const engine = project.start(["up", "--yes", "--skip-preview"]);
    const files = ["program", "command"].map((file) => path.join(project.folder, file));
    const processes = await Promise.all(files.map(processIn));
    // A preview is much quicker without a process for each provider.
    assert.match(await readFile(path.join(project.folder, "host"), "utf8"), /language-nodejs/);
    engine.kill("SIGKILL");
    for (const pid of processes) await processGone(pid);
  });
});
