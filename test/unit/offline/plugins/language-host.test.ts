import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import language from "@pulumi/pulumi/proto/language_pb.js";
import { execa } from "execa";
import { parse } from "yaml";
import {
  copyLocalSdk,
  requiredPackages,
} from "../../../../offline/plugins/language-nodejs/language-service.ts";
import type { PackageJson } from "../../../../offline/plugins/language-nodejs/package-json.ts";
import {
  ProgramRunner,
  parseRuntimeOptions,
  runArguments,
  runEnvironment,
} from "../../../../offline/plugins/language-nodejs/program-runner.ts";
import type { PropertyMap } from "../../../../offline/plugins/protocol/property-value.ts";
import { eventually } from "../../../engine/plugins/support/eventually.ts";
import { projectRoot } from "../../../../toolchain/project.ts";
import { eachCase } from "../../each-case.ts";
import { newFolder } from "../../new-folder.ts";

describe("the arguments of a program", () => {
  const options: Readonly<Record<string, readonly [PropertyMap, parsed: object]>> = {
    nothing: [{}, { typescript: true, tsconfig: undefined, nodeargs: [] }],
    typescript: [{ typescript: false }, { typescript: false }],
    tsconfig: [{ tsconfig: "other.json" }, { tsconfig: "other.json" }],
    nodeargs: [{ nodeargs: "--import tsx" }, { nodeargs: ["--import", "tsx"] }],
    "quoted nodeargs": [
      { nodeargs: `--title "a b" --x='c d'e` },
      { nodeargs: ["--title", "a b", "--x=c de"] },
    ],
    "what is for others": [{ packagemanager: "npm", production: true }, { nodeargs: [] }],
  };
  eachCase("come from %s", options, ([given, expected]) => {
    const parsed = parseRuntimeOptions(given);
    assert.deepEqual({ ...parsed, ...expected }, parsed);
  });

  for (const bad of [{ nodeArgs: "x" }, { typescript: "yes" }, { nodeargs: ["x"] }]) {
    it(`are refused for ${JSON.stringify(bad)}`, () => {
      assert.throws(
        () => parseRuntimeOptions(bad),
        new RegExp(`option ${Object.keys(bad).join()} .*supported: typescript, tsconfig, nodeargs`),
      );
    });
  }

  const request = new language.RunRequest();
  request.setMonitorAddress("127.0.0.1:1");
  request.setProject("p");
  request.setStack("s");
  request.setPwd("/program");
  request.setParallel(4);
  request.setDryrun(true);
  request.setArgsList(["more"]);
  request.getConfigMap().set("p:key", "value");
  request.setConfigsecretkeysList(["p:key"]);
  const parsed = parseRuntimeOptions({ typescript: false, nodeargs: "--import tsx" });

  it("name the engine's address, the stack, and a dry run", () => {
    const args = runArguments(request, parsed, "/sdk/run", "127.0.0.1:2").join(" ");
    assert.match(
      args,
      / --import tsx \/sdk\/run --monitor 127.0.0.1:1 --engine 127.0.0.1:2 --project p --stack s --pwd \/program --parallel 4 --dry-run \. more$/,
    );
  });

  it("contain no configuration, which is in the environment", () => {
    assert.deepEqual(runEnvironment(request, parsed, { HOME: "/home" }), {
      HOME: "/home",
      PULUMI_CONFIG: '{"p:key":"value"}',
      PULUMI_CONFIG_SECRET_KEYS: '["p:key"]',
      PULUMI_NODEJS_TYPESCRIPT: "false",
    });
  });
});

describe("a program", () => {
  let folder: string;
  const runner = new ProgramRunner("127.0.0.1:1");

  beforeEach(() => (folder = newFolder()));

  /** Runs it with an SDK that does nothing but this. */
  async function run(sdk: string): Promise<language.RunResponse.AsObject> {
    const module = path.join(folder, "node_modules/@pulumi/pulumi/cmd/run");
    await mkdir(module, { recursive: true });
    await writeFile(path.join(module, "index.js"), sdk);
    const request = new language.RunRequest();
    request.setPwd(folder);
    return (await runner.run(request)).toObject();
  }

  const ends: Readonly<Record<string, readonly [sdk: string, error: string, bail: boolean]>> = {
    well: ["", "", false],
    "with an exit code": ["process.exit(7)", "the program exited with code 7", false],
    "with an error that was reported already": ["process.exit(32)", "", true],
    "by a signal": [
      "process.kill(process.pid, 'SIGTERM'); setInterval(() => undefined, 1000);",
      "the program was ended by SIGTERM",
      false,
    ],
  };
  eachCase("ends %s", ends, async ([sdk, ...expected]) => {
    const { error, bail } = await run(sdk);
    assert.deepEqual([error, bail], expected);
  });

  it("ends when the update is cancelled", async () => {
    const started = path.join(folder, "started");
    const running = run(
      `require("node:fs").writeFileSync(${JSON.stringify(started)}, ""); setInterval(() => undefined, 1000);`,
    );
    await eventually("the program runs", () => existsSync(started) || undefined);
    runner.cancel();
    assert.equal((await running).error, "the program was ended by SIGTERM");
  });

  it("needs the SDK", async () => {
    const request = new language.RunRequest();
    request.setPwd(folder);
    await assert.rejects(
      runner.run(request),
      /@pulumi\/pulumi is not installed in .*; run: npm ci/,
    );
  });
});

describe("the SDK of a package in Pulumi.yaml", () => {
  const sdk = path.join(projectRoot, "sdks", "libvirt");
  const { version, pulumi } = JSON.parse(
    readFileSync(path.join(sdk, "package.json"), "utf8"),
  ) as Required<PackageJson>;
  const parameter = pulumi.parameterization?.value;
  const schema = { name: "libvirt", version, parameterization: { parameter } };

  it("has the versions in Pulumi.yaml", () => {
    const project = parse(readFileSync(path.join(projectRoot, "Pulumi.yaml"), "utf8")) as unknown;
    const { packages } = project as { readonly packages: unknown };
    assert.deepEqual(packages, {
      libvirt: {
        source: pulumi.name,
        version: pulumi.version,
        parameters: ["dmacvicar/libvirt", version],
      },
    });
  });

  it("is copied from the project", async () => {
    const into = newFolder();
    await copyLocalSdk(projectRoot, JSON.stringify(schema), into);
    await execa("diff", ["-r", "--exclude=bin", "--exclude=node_modules", sdk, into]);
  });

  for (const other of [{ version: "0.9.7" }, { parameterization: {} }, { name: "other" }]) {
    it(`is refused for ${JSON.stringify(other)}`, async () => {
      const given = JSON.stringify({ ...schema, ...other });
      await assert.rejects(copyLocalSdk(projectRoot, given, newFolder()), /is not the SDK of/);
    });
  }
});

describe("the plugins a program needs", () => {
  const root = newFolder();

  const install = async (folder: string, json: object): Promise<void> => {
    const target = path.join(root, folder);
    await mkdir(target, { recursive: true });
    await writeFile(path.join(target, "package.json"), JSON.stringify(json));
  };

  it("are those of its packages and of the components among them", async () => {
    const sdk = { "@pulumi/pulumi": "3.0.0" };
    await install(".", {
      dependencies: { "@pulumi/direct": "1", "@scope/component": "1", plain: "1", gone: "1" },
      devDependencies: { "@pulumi/parameterized": "1" },
    });
    await install("node_modules/@pulumi/direct", {
      version: "v1.2.3",
      dependencies: sdk,
      pulumi: { resource: true, server: "example.test" },
    });
    await install("node_modules/@scope/component", {
      version: "1.0.0",
      dependencies: { ...sdk, nested: "1", "@pulumi/direct": "1" },
    });
    await install("node_modules/@scope/component/node_modules/nested", {
      version: "0.0.1",
      pulumi: { resource: true, name: "other", version: "4.5.6" },
    });
    await install("node_modules/@pulumi/parameterized", {
      version: "0.8.3",
      pulumi: {
        resource: true,
        name: "terraform-provider",
        version: "1.1.3",
        parameterization: { name: "parameterized", version: "0.8.3", value: "dmFsdWU=" },
      },
    });
    await install("node_modules/plain", { dependencies: { hidden: "1" } });
    await install("node_modules/hidden", { version: "1.0.0", pulumi: { resource: true } });

    const found = await requiredPackages(root);
    assert.deepEqual(
      found.map((each) => [
        each.getName(),
        each.getVersion(),
        each.getServer(),
        each.getParameterization()?.getName(),
        each.getParameterization()?.getValue_asB64(),
      ]),
      [
        ["direct", "1.2.3", "example.test", undefined, undefined],
        ["other", "4.5.6", "", undefined, undefined],
        ["terraform-provider", "1.1.3", "", "parameterized", "dmFsdWU="],
      ],
    );
  });

  it("are an error if a package has no version", async () => {
    await install("bad/node_modules/@pulumi/bad", { pulumi: { resource: true } });
    await install("bad", { dependencies: { "@pulumi/bad": "1" } });
    await assert.rejects(requiredPackages(path.join(root, "bad")), /@pulumi\/bad .* no version/);
  });
});
