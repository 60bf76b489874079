import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Node } from "web-tree-sitter";
import { hyperVScriptsSource } from "../../../components/machine/hyper-v/scripts-folder.ts";
import { imageScriptsSource } from "../../../components/windows/image/scripts-folder.ts";
import {
  declaredParameters,
  functions,
  nodes,
  parsePowerShell,
  scripts as stepScripts,
  scriptsIn,
  steps as nodeSteps,
} from "./step-scripts.ts";
import { caller, hiddenFromMock, running } from "./mock-scopes.ts";

const folder = "test/pester";
/** Longest run of the tests in PowerShell. */
const runSeconds = 600;

interface TestFile {
  readonly file: string;
  readonly text: string;
  readonly root: Node;
}

const files: readonly TestFile[] = [
  ...readdirSync(folder, { recursive: true })
    .map((file) => path.posix.join(folder, String(file)))
    .filter((file) => file.endsWith(".ps1")),
  "PSScriptAnalyzerSettings.psd1",
].map((file) => {
  const text = readFileSync(file, "utf8");
  return { file, text, root: parsePowerShell(text) };
});

const imageScripts = scriptsIn(imageScriptsSource);
const hyperVScripts = scriptsIn(hyperVScriptsSource);
const scripts = [...stepScripts, ...imageScripts, ...hyperVScripts];
/** Scripts that run by themselves, and the variable of the tests for their folder. */
const steps = [
  ...nodeSteps.map((step) => ({ ...step, folder: "StepsFolder" })),
  ...imageScripts
    .filter((script) => script.isStep)
    .map((script) => ({ ...script, folder: "ImageFolder" })),
  ...hyperVScripts
    .filter((script) => script.isStep)
    .map((script) => ({ ...script, folder: "HyperVFolder" })),
];

const ours = new Map(
  scripts.flatMap((script) => [...functions(script)].map(([name, node]) => [name, node] as const)),
);

/** Commands that any script calls: what can be mocked. */
const calledByScripts = new Set(
  scripts.flatMap(({ root }) => nodes(root, "command_name").map((name) => name.text)),
);

function commandName(command: Node): string {
  return command.children.find((child) => child?.type === "command_name")?.text ?? "";
}

function elements(command: Node): Node[] {
  const found = command.children.find((child) => child?.type === "command_elements");
  return (found?.children ?? []).filter(
    (child) => child !== null && child.type !== "command_argument_sep",
  ) as Node[];
}

/** Function or cmdlet named first behind `Mock` or `Should -Invoke`; empty where it is in a variable. */
function mocked(command: Node): string {
  const words = elements(command).map((element) => element.text.trim());
  const name = commandName(command) === "Mock" ? words[0] : words[words.indexOf("-Invoke") + 1];
  return name?.startsWith("$") ? "" : (name ?? "");
}

/** Text of the outermost `Describe` around a command. */
function describeAround(command: Node): string | undefined {
  let found: string | undefined;
  for (let node = command.parent; node; node = node.parent) {
    if (node.type === "command" && commandName(node) === "Describe") found = node.text;
  }
  return found;
}

const commands = files.flatMap(({ file, root }) =>
  nodes(root, "command").map((command) => ({ file, command, name: commandName(command) })),
);

describe("the tests of the step scripts", () => {
  for (const { file, text, root } of files) {
    it(`${file} parses, is plain ASCII, and has lines of at most 120 characters`, () => {
      assert.equal(root.hasError, false);
      assert.doesNotMatch(text, /[^\n\x20-\x7e]/);
      assert.deepEqual(
        text.split("\n").filter((line) => line.length > 120),
        [],
      );
    });
  }

  for (const name of ours.keys()) {
    it(`call ${name}`, () => {
      // Some are called in scripts that a test writes, to be run by a process of its own.
      const inText = new RegExp(`\\b${name}( -|;)`);
      const strings = files.flatMap(({ root }) => nodes(root, "string_literal"));
      assert.ok(
        commands.some((each) => each.name === name) ||
          strings.some((literal) => inText.test(literal.text)),
        `no test in ${folder} calls it: write one (first run, second run, half done, each failure)`,
      );
    });
  }

  for (const { name, folder: variable } of steps) {
    it(`run ${name}`, () => {
      assert.ok(
        files.some(({ text }) => text.includes(`& "$${variable}/${name}.ps1"`)),
        `no test in ${folder} runs it: write one (first run, second run, half done, each failure)`,
      );
    });
  }

  it("mock and look for what scripts call", () => {
    const unknown = commands
      .filter(
        ({ name, command }) =>
          name === "Mock" || (name === "Should" && / -Invoke /.test(command.text)),
      )
      .map(({ file, command }) => ({ file, name: mocked(command) }))
      .filter(({ name }) => name !== "" && !calledByScripts.has(name))
      .map(({ file, name }) => `${file}: ${name}`);
    assert.deepEqual(unknown, []);
  });

  it("give mocks no variable that what calls them has as well: they would read that one", () => {
    const callers = [
      ...[...ours].map(([name, node]) => caller(name, node)),
      ...steps.map((step) => caller(step.file, step.root)),
    ];
    const hidden = commands
      .filter(({ name }) => name === "Mock")
      .flatMap(({ file, command }) => {
        const block = elements(command).find((each) => nodes(each, "script_block_expression")[0]);
        if (block === undefined) return [];
        const around = describeAround(command) ?? file;
        const inside = commands.filter(
          (each) => each.file === file && describeAround(each.command),
        );
        const beside = inside.filter((each) => describeAround(each.command) === around);
        const started = new Set((around === file ? inside : beside).map((each) => each.name));
        const text = around === file ? "" : around;
        for (const [, name = ""] of text.matchAll(/Folder\/([A-Za-z-]+)\.ps1"/g)) {
          started.add(`${name}.ps1`);
        }
        const mocks = new Set(
          commands
            .filter((each) => each.file === file && each.name === "Mock")
            .filter((each) => [around, undefined].includes(describeAround(each.command)))
            .map((each) => mocked(each.command)),
        );
        return hiddenFromMock(mocked(command), block, running(callers, started, mocks)).map(
          (what) => `${file}, line ${String(command.startPosition.row + 1)}: ${what}`,
        );
      });
    assert.deepEqual(hidden, []);
  });

  it("free the parameters that take objects of Windows' own only: on Windows no stand-in would fit", () => {
    const typed: Readonly<Record<string, readonly string[]>> = {
      "Invoke-CimMethod": ["InputObject"],
      "Register-ScheduledTask": ["Action", "Principal"],
      "Set-LocalUser": ["InputObject"],
    };
    const bound = commands
      .filter(({ name, command }) => {
        const parameters = name === "Mock" ? (typed[mocked(command)] ?? []) : [];
        const freed = command.text.split(" -RemoveParameterType ")[1] ?? "";
        return parameters.some((parameter) => !freed.includes(`'${parameter}'`));
      })
      .map(({ file, command }) => `${file}, line ${String(command.startPosition.row + 1)}`);
    assert.deepEqual(bound, []);
  });

  it("stop at no standard error of a program that they redirect: Windows PowerShell 5.1 would", () => {
    // Per function around it: the preference is the function's own.
    const redirecting = files.flatMap(({ file, root }) =>
      nodes(root, "function_statement")
        .filter((each) => /2>(\$null|&1)/.test(each.text))
        .filter((each) => !each.text.includes("$ErrorActionPreference = 'Continue'"))
        .map((each) => `${file}, line ${String(each.startPosition.row + 1)}`),
    );
    assert.deepEqual(redirecting, []);
  });

  it("pass parameters that exist, and all that are mandatory", () => {
    const wrong: string[] = [];
    for (const { file, command, name } of commands) {
      const node = ours.get(name);
      if (node === undefined) continue;
      const where = `${file}, line ${String(command.startPosition.row + 1)}: ${name}`;
      const declared = declaredParameters(node);
      const passed = elements(command)
        .filter((element) => element.type === "command_parameter")
        .map((element) => element.text.slice(1));
      const known = declared.map((parameter) => parameter.name);
      wrong.push(
        ...passed.filter((each) => !known.includes(each)).map((each) => `${where} -${each}`),
      );
      if (/ @\w+/.test(command.text)) continue;
      wrong.push(
        ...declared
          .filter((parameter) => parameter.mandatory && !passed.includes(parameter.name))
          .map((parameter) => `${where} lacks -${parameter.name}`),
      );
    }
    assert.deepEqual(wrong, []);
  });

  it("run steps with parameters that exist", () => {
    const wrong: string[] = [];
    for (const { file, text } of files) {
      for (const [, name = "", rest = ""] of text.matchAll(
        /& "\$(?:Steps|Image|HyperV)Folder\/([A-Za-z-]+)\.ps1"([^\n)}]*)/g,
      )) {
        const step = steps.find((each) => each.name === name);
        const known = step ? declaredParameters(step.root).map((each) => each.name) : [];
        const passed = [...rest.matchAll(/ -([A-Za-z]+)/g)].map((match) => match[1] ?? "");
        wrong.push(
          ...passed
            .filter((each) => !known.includes(each))
            .map((each) => `${file}: ${name} -${each}`),
        );
        if (!step) wrong.push(`${file}: ${name} is no step`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it("pass in PowerShell", function () {
    const asked = spawnSync("pwsh", ["-NoProfile", "-NonInteractive", "-Command", "exit 0"], {
      timeout: 60_000,
    });
    if (asked.error !== undefined) {
      // Said where nobody overlooks it: a pending test alone is one line among thousands.
      const cases = files.flatMap(({ text }) => [...text.matchAll(/^ +It '/gm)]).length;
      console.log(
        `      !!! NOT RUN: ${String(cases)} Pester tests of the step scripts, since there is no pwsh on the PATH. ` +
          `Only a host with PowerShell 7 and Pester 5 can: ${folder}/Invoke-Tests.ps1`,
      );
      this.skip();
    }
    const run = spawnSync(
      "pwsh",
      ["-NoProfile", "-NonInteractive", "-File", `${folder}/Invoke-Tests.ps1`],
      { encoding: "utf8", timeout: (runSeconds - 60) * 1000 },
    );
    assert.equal(run.status, 0, `${run.stdout}\n${run.stderr}`);
  });
});
