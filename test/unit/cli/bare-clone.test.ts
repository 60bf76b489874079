import assert from "node:assert/strict";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";

import { copySources } from "../../engine/plugins/support/sources.ts";
import { badCaseOf } from "../config/bad-settings/bad-cases.ts";
import type { CommandRun } from "./run-commands.ts";
import { newFolder } from "../new-folder.ts";

const repository = path.resolve(import.meta.dirname, "../../..");

/** Commands that need nothing prepared, and what has to come of them. */
const unprepared: readonly (readonly [command: string, exitCode: number, says: RegExp])[] = [
  ["--help", 0, /Usage: kindows/],
  ["up --help", 0, /Usage: kindows up/],
  ["upp", 2, /^error: unknown command 'upp'\n\(Did you mean up\?\)\n$/],
  ["donw", 2, /\(Did you mean down\?\)/],
  ["disk lss", 2, /^error: unknown command 'lss'\n\(Did you mean ls\?\)\n$/],
  ["start", 1, /^kindows: the stack rehearsal is not up: `kindows up --stack rehearsal`\n$/],
  ["stop", 1, /^kindows: the stack rehearsal is not up: /],
  ["version", 2, /^error: unknown command 'version'\n$/],
  [
    "--version",
    0,
    /^kindows \d+\.\d+\.\d+\ncommit .+\nengine: Pulumi [\d.]+\nKubernetes [\d.]+\n$/,
  ],
  ["cache ls", 0, /0 entries/],
  ["completion bash", 0, /^complete -F _kindows kindows$/m],
  ["conformance --list", 0, /operational-readiness/],
  ["conformance --dry-run --suite all", 2, /^kindows: there is no suite "all": write one of /],
  ["conformance", 1, /^kindows: conformance needs a real Windows node/],
  ["doctor", 1, /Problems for the stack rehearsal/],
  ["fetch", 0, /downloads nothing/],
  ["disk check --stack dev", 1, /acceptLicence/],
  ["disk ls", 0, /USED BY/],
  ["disk prune --dry-run", 0, /would free 0\.0 MiB/],
  ["disk prune --help", 0, /--dry-run/],
  ["disk prune --now", 2, /^error: unknown option '--now'/],
  ["disk scripts sealing", 0, /sealing/],
  ["lock", 1, /^containerd-2\.3\.4-windows-amd64\.tar\.gz +not locked$/m],
  ["kubeconfig --remove", 0, /the stack rehearsal has no entries in/],
  ["policy --rules", 0, /images-by-digest/],
  ["policy --stacks dve", 1, /there is no stack dve; the stacks are bad0, /],
  ["preview --stack dve", 1, /^kindows: there is no stack "dve": .* Stacks: bad0, .*mean dev\?\n$/],
  ["preview --stack folder", 1, /^kindows: Pulumi\.folder\.yaml is a folder: .*\n$/],
  ["status", 1, /the stack rehearsal is not up/],
  ["verify --list", 0, /linux-pod-to-linux-service/],
];

/** Commands that look at the settings first, and settings that they have to find wanting. */
const refused: readonly (readonly [command: string, table: string, title: string])[] = [
  ["preview", "sections.yaml", "everything at once"],
  ["fetch", "sections.yaml", "secrets in clear, of which none may stand in an error"],
  ["preview", "text.yaml", "an unclosed quote"],
  ["up", "text.yaml", "no `config` at all"],
  ["disk check", "text.yaml", "two colons in a line"],
];

describe("commands in a clone that has nothing yet", () => {
  let clone: string;
  let environment: NodeJS.ProcessEnv;
  const runs = new Map<string, CommandRun>();

  before(async () => {
    clone = newFolder();
    const files = ["package.json", "package-lock.json", "Pulumi.yaml", "Pulumi.rehearsal.yaml"];
    await copySources(clone, [...files, "Pulumi.dev.yaml"]);
    for (const name of ["node_modules", "sdks"]) {
      await symlink(path.join(repository, name), path.join(clone, name));
    }
    for (const [place, [, table, title]] of refused.entries()) {
      await writeFile(path.join(clone, `Pulumi.bad${place}.yaml`), badCaseOf(table, title).text);
    }
    const home = path.join(clone, "home");
    await mkdir(home);
    await mkdir(path.join(clone, "Pulumi.folder.yaml"));
    environment = {
      PATH: process.env["PATH"],
      HOME: home,
      PULUMI_CREDENTIALS_PATH: home,
      KINDOWS_CACHE: path.join(home, "cache"),
      // Only read from here, and no image of this host's is any business of an empty cache.
      DOCKER_HOST: "unix:///nonexistent/docker.sock",
    };
    const commands = [
      ...refused.map(([command], place) => `${command} --stack bad${place}`),
      ...unprepared.map(([command]) => command),
    ];
    const results = path.join(clone, "runs.json");
    await execa(
      process.execPath,
      ["--import", "tsx", path.join(import.meta.dirname, "run-commands.ts"), results],
      {
        cwd: clone,
        env: environment,
        extendEnv: false,
        input: JSON.stringify(commands.map((command) => command.split(" "))),
      },
    );
    const reported = JSON.parse(await readFile(results, "utf8")) as readonly CommandRun[];
    reported.forEach((run, place) => runs.set(commands[place] ?? "", run));
  });

  const runOf = (command: string): CommandRun => runs.get(command) ?? assert.fail("it was not run");

  for (const [place, [command, table, title]] of refused.entries()) {
    it(`kindows ${command}, ${title}: all mistakes and nothing else, and nothing prepared`, () => {
      const { exitCode, said, kept } = runOf(`${command} --stack bad${place}`);
      const { problems } = badCaseOf(table, title);
      const count = problems.length === 1 ? "1 mistake" : `${problems.length} mistakes`;
      assert.deepEqual(said.split("\n"), [
        `kindows: ${count} in the settings (Pulumi.bad${place}.yaml); nothing was changed:`,
        ...problems.map((line) => `  - ${line}`),
        "",
      ]);
      assert.equal(exitCode, 1);
      assert.deepEqual(kept, ["program"]);
    });
  }

  for (const [command, expected, says] of unprepared) {
    it(`kindows ${command}: ends as it should, and says what it should`, () => {
      const { exitCode, said } = runOf(command);
      assert.equal(exitCode, expected, said);
      assert.match(said, says);
    });
  }

  it("kindows is a script that only looks for Node.js and its packages before", async () => {
    const lines = (await readFile(path.join(repository, "kindows"), "utf8")).trim().split("\n");
    assert.deepEqual(lines.slice(-3), [
      "./toolchain/dependencies.sh",
      'export PATH="$PWD/.kindows/node/bin:$PATH"',
      'exec node toolchain/program/run.js cli/main.ts "$@"',
    ]);
  });
});
