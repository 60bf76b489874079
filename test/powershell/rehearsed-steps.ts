/**
 * The tests of steps on rehearsed machines, on a real PowerShell in the interpreter's place: what they assert of the
 * interpreter, each step's result and what it does to the machine, they assert of PowerShell. Each file's process starts
 * one PowerShell, which runs all its steps.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { execa } from "execa";
import { projectRoot } from "../../toolchain/project.ts";

const folder = "test/unit/rehearsal-host";

/** Those whose machines need nothing but what a real PowerShell can ask the model for. */
export const rehearsedFiles = [
  "steps",
  "install",
  "containerd",
  "join",
  "reset",
  "flannel",
  "hybrid-overlay",
  "cluster-route",
  "machine-proxy",
  "export-log",
].map((name) => `${folder}/${name}.test.ts`);

export interface Rehearsed {
  readonly passed: number;
  readonly failures: readonly { readonly name: string; readonly text: string }[];
  /** Share of the statements that were run, in percent, by script. */
  readonly coverage: ReadonlyMap<string, number>;
}

interface MochaReport {
  readonly passes: readonly { readonly fullTitle: string }[];
  readonly failures: readonly {
    readonly fullTitle: string;
    readonly err: { readonly message?: string };
  }[];
}

/** @param prefix A Wine prefix that the PowerShells copy. */
export async function rehearseSteps(prefix: string, files = rehearsedFiles): Promise<Rehearsed> {
  const results = await mkdtemp(path.join(tmpdir(), "rehearsed-"));
  const left = [...files];
  const reports: MochaReport[] = [];
  const statements = new Map<string, { all: number; missing: Set<string> }>();
  const work = async (): Promise<void> => {
    for (let file = left.shift(); file !== undefined; file = left.shift()) {
      const out = path.join(results, path.basename(file));
      reports.push(await runFile(file, prefix, out));
      for (const [name, all, missing] of await coverageOf(`${out}.coverage`)) {
        const known = statements.get(name)?.missing ?? new Set(missing);
        const still = new Set(missing.filter((each) => known.has(each)));
        statements.set(name, { all, missing: still });
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: availableParallelism() }, work));
  } finally {
    await rm(results, { recursive: true, force: true });
  }
  return {
    passed: reports.reduce((sum, { passes }) => sum + passes.length, 0),
    failures: reports.flatMap(({ failures }) =>
      failures.map(({ fullTitle, err }) => ({ name: fullTitle, text: err.message ?? "" })),
    ),
    coverage: new Map(
      [...statements].map(([name, { all, missing }]) => [name, 100 * (1 - missing.size / all)]),
    ),
  };
}

async function runFile(file: string, prefix: string, out: string): Promise<MochaReport> {
  const { all } = await execa(
    process.execPath,
    [
      ...["--import", "tsx", "--import", "./test/powershell/machine/on-real-powershell.ts"],
      ...["node_modules/mocha/bin/mocha.js", "--no-config", "--extension", "ts"],
      ...["--timeout", "120000", "--require", "./test/environment.ts"],
      ...["--reporter", "json", "--reporter-option", `output=${out}.json`, file],
    ],
    {
      ...{ cwd: projectRoot, all: true, reject: false, timeout: 600_000 },
      env: { KINDOWS_WINE_PREFIX: prefix, KINDOWS_REAL_COVERAGE: `${out}.coverage` },
    },
  );
  try {
    return JSON.parse(await readFile(`${out}.json`, "utf8")) as MochaReport;
  } catch {
    const text = `its process wrote no result: ${all.slice(-1000)}`;
    return { passes: [], failures: [{ fullTitle: file, err: { message: text } }] };
  }
}

async function coverageOf(
  file: string,
): Promise<readonly (readonly [name: string, all: number, missing: readonly string[]])[]> {
  const text = await readFile(file, "utf8").catch(() => "[]");
  return JSON.parse(text) as Awaited<ReturnType<typeof coverageOf>>;
}
