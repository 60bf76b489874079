/**
 * The tests of scripts on modelled machines, with a real PowerShell in the interpreter's place: what they assert of the
 * interpreter, each script's result and what it does to the machine, they assert of PowerShell.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { projectRoot } from "../../../toolchain/project.ts";
import { withCoverage } from "../../script-coverage.ts";
import { type Kind, Judgement } from "../kind.ts";
import { OutOfTime, wineServer } from "../shells.ts";
import { notRun, whyNotRun } from "../machine/not-run.ts";
import { runUnhurried } from "../unhurried.ts";

/** The longest first. Each has a process, because what has not begun in time is skipped. */
const files = [
  ...["images/windows/scripts-run", "rehearsal/machine/install", "windows/windows-runner"],
  ...[
    "machine/hyper-v/machine-behaviours",
    "rehearsal/machine/containerd",
    "rehearsal/machine/join",
  ],
  ...["rehearsal/machine/reset", "rehearsal/machine/steps", "rehearsal/machine/flannel"],
  ...[
    "rehearsal/machine/cluster-route",
    "rehearsal/machine/hybrid-overlay",
    "rehearsal/machine/reboot",
  ],
  ...[
    "rehearsal/machine/machine-proxy",
    "rehearsal/machine/export-log",
    "rehearsal/machine/import-image",
  ],
  ...["rehearsal/machine/own-program", "rehearsal/machine/own-script"],
  ...["rehearsal/machine/trusted-certificate"],
].map((name) => `test/unit/${name}.test.ts`);

/** Scripts of which the tests run less than nine tenths on a real PowerShell, and why. */
const hardlyRun: Readonly<Record<string, string>> = {
  "components/kubeproxy/start.ps1": "the recorded steps run it whole (start/01 to 03)",
  "components/machine/hyper-v/scripts/lib/LabMark.ps1":
    "a machine that is half made is left by runs that are cut short, which are not run here",
  "images/windows/scripts/lib/Bake.ps1": "no test of the image has programs to copy",
  "images/windows/scripts/lib/Sealing.ps1":
    "the model has no local accounts, so stand-ins set passwords and write the answer file",
  "images/windows/scripts/lib/SerialLog.ps1": "a machine of the model has no COM1; Pester runs it",
  "components/windows/steps/lib/ApiServer.ps1":
    "the clock of the model is right; the recorded steps set one (functions/04-machine)",
  "components/windows/steps/lib/DefenderExclusion.ps1":
    "the model has Defender, and it refuses nothing; the recorded steps have others (Install-Kubernetes/02-upgrade)",
  "components/windows/steps/lib/ExternalNetwork.ps1":
    "Calico's key is there already; in the recorded steps it is missing (Add-ExternalNetwork/01-calico)",
  "components/windows/steps/lib/NativeCommand.ps1":
    "programs of the model end in time; Pester has one that does not",
};

interface MochaReport {
  readonly passes: readonly { readonly fullTitle: string }[];
  readonly pending: readonly { readonly fullTitle: string }[];
  readonly failures: readonly {
    readonly fullTitle: string;
    readonly err: { readonly message?: string };
  }[];
}

export const machine: Kind = {
  name: "machine",
  async judge(shell) {
    const judgement = new Judgement();
    if (!shell.isWine) {
      judgement.skip("all", "a modelled machine's drive C: can be a Wine prefix's only");
      return judgement;
    }
    const folder = await mkdtemp(join(tmpdir(), "machine-"));
    try {
      // Each PowerShell of the tests has a copy.
      const prefix = join(folder, "wine");
      const env = { WINEPREFIX: prefix };
      await shell.take(() =>
        runUnhurried("pwsh-wine", ["-NoProfile", "-Command", "exit"], { env }),
      );
      // It writes the registry's files when it ends.
      await runUnhurried(wineServer, ["-w"], { env });
      let done = 0;
      const run = async (file: string): Promise<MochaReport | undefined> => {
        try {
          const report = join(folder, `${basename(file)}.json`);
          const result = await shell.take(() => tests(prefix, file, report));
          console.log(`machine, ${shell.name}: ${++done} of ${files.length} files`);
          return result;
        } catch (error) {
          if (error instanceof OutOfTime) judgement.skip(file, "there was not enough time");
          else judgement.fail(file, String(error));
          return undefined;
        }
      };
      /** Entries of what is not run that are some test's. */
      const found = new Set<string>();
      const { result, problems, scripts } = await withCoverage("real PowerShell", () =>
        Promise.all(files.map(run)),
      );
      for (const each of result) {
        each?.passes.forEach(() => judgement.pass());
        for (const { fullTitle, err } of each?.failures ?? [])
          judgement.fail(fullTitle, err.message ?? "");
        for (const { fullTitle } of each?.pending ?? []) {
          const [begin, why] = whyNotRun(fullTitle) ?? [fullTitle, "the test says so"];
          found.add(begin);
          judgement.skip(fullTitle, why);
        }
      }
      if (result.includes(undefined)) {
        judgement.skip("coverage", "not all tests were run");
        return judgement;
      }
      for (const begin of Object.keys(notRun).filter((each) => !found.has(each)))
        judgement.fail(`${begin}...`, "no test's title begins like this");
      for (const each of problems) judgement.fail("coverage", each);
      for (const [script, percent] of scripts) {
        const why = hardlyRun[script];
        if (percent >= 90) judgement.pass();
        else if (why === undefined) judgement.fail(script, `${percent.toFixed(1)} % is run`);
        else judgement.skip(`${(100 - percent).toFixed(1)} % of ${script}`, why);
      }
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
    }
    return judgement;
  },
};

async function tests(prefix: string, file: string, output: string): Promise<MochaReport> {
  const onReal = "./test/powershell/machine/on-real-powershell.ts";
  const { stdout, stderr } = await runUnhurried(
    process.execPath,
    [
      ...["--import", "tsx", "node_modules/mocha/bin/mocha.js", "--no-config", "--extension", "ts"],
      ...["--no-timeouts", "--require", "./test/environment.ts", "--require", onReal],
      ...["--reporter", "json", "--reporter-option", `output=${output}`, file],
    ],
    { cwd: projectRoot, env: { KINDOWS_WINE_PREFIX: prefix } },
  );
  try {
    return JSON.parse(await readFile(output, "utf8")) as MochaReport;
  } catch {
    throw new Error(`the tests wrote no result: ${(stderr || stdout).slice(-1000)}`);
  }
}
