import assert from "node:assert/strict";
import { appendFile, cp, mkdir, readFile, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { extract } from "tar";
import { stringify } from "yaml";
import { builtTool } from "../../toolchain/built.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { listing } from "../unit/rehearsal/machine/machine-listing.ts";
import { endpointOf, ExistingLab, type MachineName } from "../engine/existing/existing-lab.ts";
import { ensureTestEngine } from "../prepare.ts";
import { EngineProject, succeeded } from "../engine/plugins/support/engine.ts";

/** What of a Pulumi package's schema is looked at. */
interface Schema {
  readonly resources: Readonly<
    Record<
      string,
      {
        readonly inputProperties?: Readonly<Record<string, { readonly description?: string }>>;
        readonly requiredInputs?: readonly string[];
      }
    >
  >;
}

/** Packed as npm packs it, out of a copy of the sources. @returns the package's file */
async function pack(sources: string): Promise<string> {
  for (const name of ["tsconfig.json", "software.lock.json", "sdks"]) {
    await cp(path.join(projectRoot, name), path.join(sources, name), { recursive: true });
  }
  const options = { cwd: path.join(sources, "components") };
  const { stdout } = await execa("npm", ["pack", "--json", "--loglevel=error"], options);
  const [{ filename = "" } = {}] = JSON.parse(stdout) as { filename?: string }[];
  return path.join(options.cwd, filename);
}

/** A folder of node_modules as an install leaves it: with the package and, by links, what it and the examples depend on. */
async function install(packed: string, modules: string): Promise<void> {
  await rm(modules);
  const target = path.join(modules, "@kindows/components");
  await mkdir(target, { recursive: true });
  await extract({ file: packed, cwd: target, strip: 1 });
  const { dependencies } = JSON.parse(
    await readFile(path.join(target, "package.json"), "utf8"),
  ) as { readonly dependencies: Readonly<Record<string, string>> };
  for (const name of [...Object.keys(dependencies), "@types", "tsx"]) {
    await mkdir(path.dirname(path.join(modules, name)), { recursive: true });
    await symlink(path.join(projectRoot, "node_modules", name), path.join(modules, name));
  }
}

async function ended(project: EngineProject, args: readonly string[]): Promise<void> {
  const { exitCode, text } = await project.run(args);
  assert.equal(exitCode, 0, text);
}

describe("examples with the package @kindows/components", () => {
  let lab: ExistingLab;
  let packed: string;
  const projects: EngineProject[] = [];

  before(async () => {
    await ensureTestEngine();
    lab = await ExistingLab.start();
    packed = await pack(lab.project.folder);
  });
  after(async () => {
    await Promise.all(projects.map((project) => project.dispose()));
    await lab.dispose();
  });

  /** The example as it is, with the package installed beside it, and settings for a machine. */
  async function example(name: string, machine: MachineName): Promise<EngineProject> {
    // The engine finds language hosts on the PATH too.
    const folders = [path.dirname(builtTool("pulumi-language-yaml")), process.env["PATH"]];
    const project = await EngineProject.create({
      PATH: folders.join(path.delimiter),
      PULUMI_IGNORE_AMBIENT_PLUGINS: "false",
    });
    projects.push(project);
    await install(packed, path.join(project.folder, "node_modules"));
    await cp(path.join(projectRoot, "examples/programs", name), project.folder, {
      recursive: true,
    });
    await ended(project, ["stack", "init", "dev"]);
    const { media } = lab.machines[machine].machine;
    const checksums: Readonly<Record<string, string>> = Object.fromEntries(
      Object.entries<{ readonly sha256: string }>({ ...media }).map(([program, { sha256 }]) => [
        program,
        sha256,
      ]),
    );
    const { address, hostKey } = lab.member(machine);
    const privateKey = await readFile(path.join(lab.project.folder, "key"), "utf8");
    const kubeconfig = stringify(JSON.parse(lab.api.kubeconfig) as object);
    const secrets = [`kubeconfig=${kubeconfig}`, `privateKey=${privateKey}`];
    await ended(project, ["config", "set-all", ...secrets.flatMap((one) => ["--secret", one])]);
    const settings = {
      computerName: machine,
      address,
      hostKey,
      sshHost: lab.machines[machine].machine.address,
      sshPort: lab.machines[machine].machine.port,
      containerdVersion: "2.4.2",
      endpoint: endpointOf(lab.api),
      serviceCidr: "10.0.0.0/24",
      podNetwork: "none",
      carriesPrograms: true,
      checksums,
    };
    const lines = Object.entries(settings).map(
      ([key, value]) => `  join-node-${name}:${key}: ${JSON.stringify(value)}\n`,
    );
    await appendFile(path.join(project.folder, "Pulumi.dev.yaml"), lines.join(""));
    return project;
  }

  it("have types, and a schema with an example of each argument and the default of each optional one", async () => {
    const project = await example("typescript", "win-1");
    const compiler = path.join(projectRoot, "node_modules/typescript/bin/tsc");
    const checked = await execa(process.execPath, [compiler, "-p", "."], {
      cwd: project.folder,
      reject: false,
    });
    assert.equal(checked.stdout, "");
    const file = "node_modules/@kindows/components/dist/components/library/schema.json";
    const text = await readFile(path.join(project.folder, file), "utf8");
    const { resources } = JSON.parse(text) as Schema;
    assert.deepEqual(
      Object.keys(resources).sort(),
      ["Calico", "Flannel", "KindCluster", "KubeProxyWindows", "LibvirtMachine", "WindowsNode"].map(
        (component) => `kindows:index:${component}`,
      ),
    );
    const lacking = Object.entries(resources).flatMap(([type, resource]) =>
      Object.entries(resource.inputProperties ?? {}).flatMap(([name, { description = "" }]) =>
        description.includes("e.g. ") &&
        (description.includes("Default: ") || resource.requiredInputs?.includes(name))
          ? []
          : [`${type} ${name}: ${description}`],
      ),
    );
    assert.deepEqual(lacking, []);
  });

  for (const [name, machine] of [
    ["typescript", "win-1"],
    ["yaml", "win-2"],
  ] as const) {
    it(`in ${name} joins a machine, changes nothing in a second run, and leaves it as it was`, async () => {
      const { machine: rehearsed } = lab.machines[machine];
      const untouched = await listing(rehearsed);
      const project = await example(name, machine);
      assert.match(succeeded(await project.preview()).text, /WindowsNode/);
      assert.deepEqual(await listing(rehearsed), untouched);
      const run = succeeded(await project.up());
      assert.ok(!run.text.includes("PRIVATE KEY"));
      const nodes = await lab.nodes();
      const node = nodes.find(({ metadata }) => metadata.name === machine);
      assert.equal(node?.metadata.labels["example.test/joined-by"], name);
      const outputs = await project.outputs();
      assert.equal(outputs["nodeName"], machine);
      assert.match(String(outputs["windowsBuild"]), /^10\.0\.\d+\.\d+$/);
      const state = JSON.stringify((await project.state()).map(({ inputs }) => inputs));
      const paths = [projectRoot, project.folder, ".kindows"].filter((one) => state.includes(one));
      assert.deepEqual(paths, []);
      succeeded(await project.preview("--expect-no-changes"));
      succeeded(await project.destroy());
      assert.deepEqual(await lab.nodeNames(), []);
      assert.deepEqual(await listing(rehearsed), untouched);
      await ended(project, ["config", "set", "podNetwork", "cilium"]);
      assert.match(
        (await project.preview()).text,
        /podNetwork: "cilium" is not one of calico, flannel, none/,
      );
    });
  }
});
