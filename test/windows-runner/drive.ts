/**
 * Runs the image's scripts and the nodes' steps on a Windows runner over SSH, with the program's own SSH client and command
 * lines. pack.ts bundles this file.
 *
 * Arguments: what to do, and the packed folder. `keys` makes the keys of the loopback SSH server for the image's disc;
 * `steps` runs every step, each again, then the reset, and compares the machine with before; `findings` prints what only
 * Windows knows; `seal` bakes and seals the image.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { registriesOf, wayOutTo } from "../../images/windows/builder/way-out.ts";
import { newImageSecrets, sshFiles } from "../../images/windows/image-disc.ts";
import { scriptCommand } from "../../host/ssh/windows-command.ts";
import { parseStepResult, type StepResult } from "../../components/node/step-result.ts";
import { onServer } from "../../host/ssh/dial.ts";
import { CommandFailed, runOverSsh, type SshSource } from "../../host/ssh/run-over-ssh.ts";
import { uploadSource } from "../../host/ssh/upload.ts";
import { type PlannedRun, type RunnerPlan, unknowns } from "./runner-plan.ts";

/** What Initialize-Runner.ps1 has found out. */
export interface RunnerFacts {
  readonly computer: string;
  /** IPv4 address of the runner, and its gateway. */
  readonly address: string;
  readonly gateway: string;
}

export interface Driven {
  readonly login: SshSource;
  readonly facts: RunnerFacts;
  readonly plan: RunnerPlan;
  /** Folder that pack.ts has made. */
  readonly packed: string;
  readonly say: (line: string) => void;
}

/** Folder of this test's own scripts on the machine. */
const ownScripts = "C:\\kindows\\runner";

interface Done {
  readonly name: string;
  readonly run: number;
  readonly seconds: number;
  readonly changed: boolean;
}

/** Copies what the program copies to a machine, and unpacks the steps there. */
export async function copyAll({ login, plan, packed, say }: Driven): Promise<void> {
  for (const [from, to] of [
    ["home/", "C:/kindows"],
    ["media/", "C:/kindows/media"],
    ["runner/", "C:/kindows/runner"],
  ] as const) {
    const started = Date.now();
    await onServer(login, 900, say, (client, signal) =>
      uploadSource(client, { path: `${packed}/${from}` }, to, signal),
    );
    say(`copied ${from} to ${to} (${seconds(started)} s)`);
  }
  await runOverSsh(login, plan.unpack, 300);
}

/** Output of one of this test's own scripts, line by line. */
export async function ownScript({ login }: Driven, name: string): Promise<string[]> {
  const command = scriptCommand(ownScripts, { name, parameters: {} }, {});
  return (await runOverSsh(login, command, 900)).trimEnd().split(/\r?\n/);
}

/** What a node's preparation changes on the machine, one line per thing. */
export const machineState = (driven: Driven): Promise<string[]> =>
  ownScript(driven, "Get-MachineState");

/**
 * Runs every step twice, then the reset twice.
 *
 * @returns what is wrong: steps that change something in their second run, and what the reset leaves or takes.
 * @throws if a step fails.
 */
export async function driveSteps(
  driven: Driven,
  state = machineState,
): Promise<{ done: Done[]; wrong: string[] }> {
  const { plan, say } = driven;
  const done: Done[] = [];
  const wrong: string[] = [];
  const once = async (run: PlannedRun, number: number): Promise<void> => {
    const { name } = run.script;
    const started = Date.now();
    const result = await runStep(driven, run);
    done.push({ name, run: number, seconds: seconds(started), changed: result.changed });
    say(`${name}, run ${number}: ${JSON.stringify(result)}`);
    if (result.rebootRequired) {
      throw new Error(
        `${name} wants a reboot, which would end this job: use a runner with the feature Containers`,
      );
    }
    if (number === 2 && result.changed) wrong.push(`${name} changed something in its second run`);
  };
  const before = await state(driven);
  for (const number of [1, 2]) for (const step of plan.steps) await once(step, number);
  for (const number of [1, 2]) await once(plan.reset, number);
  const after = await state(driven);
  const missing = (from: readonly string[], all: readonly string[]): string[] =>
    from.filter((line) => !all.includes(line));
  wrong.push(
    ...missing(after, before).map((line) => `after the reset there is: ${line}`),
    ...missing(before, after).map((line) => `after the reset there is no: ${line}`),
  );
  return { done, wrong };
}

async function runStep(driven: Driven, run: PlannedRun): Promise<StepResult> {
  const { login, facts } = driven;
  const { name } = run.script;
  const command = scriptCommand(run.folder, run.script, completed(run.values, facts));
  try {
    return parseStepResult(
      name,
      facts.computer,
      await runOverSsh(login, command, run.seconds, { input: run.stdin }),
    );
  } catch (error) {
    // The result's line says more than the exit code.
    if (error instanceof CommandFailed && error.output !== "")
      parseStepResult(name, facts.computer, error.output);
    throw error;
  }
}

/** The values with what only the runner knows. A Node's name has no upper case. */
export function completed(
  values: PlannedRun["values"],
  { computer, address, gateway }: RunnerFacts,
): PlannedRun["values"] {
  const complete = (name: string, value: string): string =>
    value
      .replaceAll(unknowns.computer, name === "NodeName" ? computer.toLowerCase() : computer)
      .replaceAll(unknowns.address, address)
      .replaceAll(unknowns.gateway, gateway);
  const known = (name: string, value: string | number): string | number => {
    if (typeof value === "number" || !name.endsWith("Conf")) {
      return typeof value === "number" ? value : complete(name, value);
    }
    // Files travel in base64.
    const text = Buffer.from(value, "base64").toString();
    return Buffer.from(complete(name, text)).toString("base64");
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, known(name, value)]),
  );
}

/** Runs the command with which the image's builder checks, bakes and seals, with its way out for the machine. */
export async function seal({ login, plan, say }: Driven): Promise<void> {
  const accept = wayOutTo(registriesOf(plan.registries));
  const forward = { port: plan.wayOutPort, accept };
  say(await runOverSsh(login, plan.seal, plan.sealSeconds, { forward }));
}

const seconds = (since: number): number => Math.round((Date.now() - since) / 1000);

const read = (file: string): unknown =>
  JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, ""));

/** Keys for the runner's own SSH server. They never leave the runner. */
export function makeKeys(packed: string): void {
  const secrets = newImageSecrets();
  const folder = path.join(packed, "disc", "ssh");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(sshFiles(secrets)))
    writeFileSync(path.join(folder, name), text);
  const { hostKey, loginKey } = secrets;
  const login = { privateKey: loginKey.private, hostKey: hostKey.public };
  writeFileSync(path.join(packed, "login.json"), JSON.stringify(login), { mode: 0o600 });
}

function driven(packed: string): Driven {
  const keys = read(path.join(packed, "login.json")) as Pick<SshSource, "privateKey" | "hostKey">;
  const user = process.env["USERNAME"] ?? "Administrator";
  return {
    login: { host: "127.0.0.1", port: 22, user, ...keys },
    facts: read(path.join(packed, "facts.json")) as RunnerFacts,
    plan: read(path.join(packed, "plan.json")) as RunnerPlan,
    packed,
    say: (line) => console.log(line),
  };
}

function summarize(lines: readonly string[]): void {
  const file = process.env["GITHUB_STEP_SUMMARY"];
  if (file !== undefined) appendFileSync(file, `${lines.join("\n")}\n`);
}

const actions: Readonly<Record<string, (packed: string) => Promise<number>>> = {
  keys: (packed) => Promise.resolve(makeKeys(packed)).then(() => 0),
  async steps(packed) {
    const all = driven(packed);
    await copyAll(all);
    const { done, wrong } = await driveSteps(all);
    writeFileSync(
      path.join(packed, "steps.json"),
      `${JSON.stringify({ done, wrong }, undefined, 2)}\n`,
    );
    const rows = done.map(
      (each) => `| ${each.name} | ${each.run} | ${each.seconds} | ${each.changed} |`,
    );
    summarize([
      "| step | run | seconds | changed |",
      "| --- | --- | --- | --- |",
      ...rows,
      "",
      ...wrong,
    ]);
    for (const each of wrong) console.log(each);
    return wrong.length === 0 ? 0 : 1;
  },
  async findings(packed) {
    const lines = await ownScript(driven(packed), "Show-Finding");
    for (const line of lines) console.log(line);
    summarize(lines.map((line) => `- ${line}`));
    return 0;
  },
  async seal(packed) {
    await seal(driven(packed));
    return 0;
  },
};

const [action = "", packed = ""] = process.argv.slice(2);
if (import.meta.filename === path.resolve(process.argv[1] ?? "")) {
  const act = actions[action];
  if (act === undefined)
    throw new Error(`there is no "${action}": ${Object.keys(actions).join(", ")}`);
  process.exitCode = await act(path.resolve(packed));
}
