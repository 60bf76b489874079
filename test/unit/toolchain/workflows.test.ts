import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly if?: string;
  readonly needs?: string;
  readonly "timeout-minutes"?: number;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, { readonly paths?: readonly string[] } | undefined>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = ".github/workflows";
const workflows: Readonly<Record<string, Workflow>> = Object.fromEntries(
  readdirSync(folder).map((name) => [
    name.replace(/\.yaml$/, ""),
    parse(readFileSync(`${folder}/${name}`, "utf8")) as Workflow,
  ]),
);
const jobs = Object.entries(workflows).flatMap(([file, workflow]) =>
  Object.entries(workflow.jobs).map(([name, job]) => [`${file}, ${name}`, job] as const),
);
const jobOf = (file: string, name: string): Job => workflows[file]?.jobs[name] ?? assert.fail(name);

describe("GitHub's workflows", () => {
  it("take actions of others by their commit, whose version stands behind it", () => {
    const taken = readdirSync(".github", { recursive: true, encoding: "utf8" })
      .filter((each) => /(workflows|actions)\/.*\.yaml$/.test(each))
      .flatMap(
        (each) => readFileSync(`.github/${each}`, "utf8").match(/(?<=uses: )[^.\s].*$/gm) ?? [],
      );
    assert.ok(taken.length > 20);
    const wrong = taken.filter(
      (each) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(each),
    );
    assert.deepEqual(wrong, []);
  });

  it("keep no credentials in what they check out, so that no script that they run finds any", () => {
    const checkouts = jobs.flatMap(([name, { steps }]) =>
      steps
        .filter(({ uses }) => uses?.startsWith("actions/checkout@"))
        .map((step) => [name, step] as const),
    );
    assert.ok(checkouts.length > 10);
    const wrong = checkouts.filter(([, step]) => step.with?.["persist-credentials"] !== false);
    assert.deepEqual(
      wrong.map(([name]) => name),
      [],
    );
  });

  it("have a limit of time for each job", () => {
    const wrong = jobs.filter(([, job]) => job["timeout-minutes"] === undefined);
    assert.deepEqual(
      wrong.map(([name]) => name),
      [],
    );
  });

  it("push only in the script that opens a pull request, to its own branch", () => {
    const pushing = jobs.filter(([, { steps }]) =>
      steps.some(({ run = "" }) => run.includes("git push")),
    );
    assert.deepEqual(pushing, []);
    const script = readFileSync("toolchain/lock-pull-request.sh", "utf8");
    const pushes = script.match(/git push.*/g);
    assert.deepEqual(pushes, ['git push --force origin "HEAD:refs/heads/$branch"']);
    assert.match(script, /^branch=lock-checksums$/m);
  });

  it("install packages of a stated version only", () => {
    const runs = jobs.flatMap(([, { steps }]) => steps.map(({ run = "" }) => run));
    const installs = runs.flatMap(
      (run) => run.match(/(Install-Module|npm install|pip install|apt-get install).*/g) ?? [],
    );
    assert.deepEqual(installs, []);
  });

  it("call scripts that are there", () => {
    const called = jobs.flatMap(([, { steps }]) =>
      steps.flatMap(
        ({ run = "" }) =>
          run.match(/(?<![\w$"/.-])(\.\/)?[\w-]+(\/[\w.-]+)+\.(ts|sh|ps1)\b/g) ?? [],
      ),
    );
    assert.ok(called.length > 10, called.join());
    assert.deepEqual(
      called.filter((each) => !existsSync(each)),
      [],
    );
  });
});

describe("windows-steps", () => {
  it("starts for the same changes in a push and a pull request, and names places that are there", () => {
    const { on } = workflows["windows-steps"] ?? assert.fail();
    assert.deepEqual(on["pull_request"]?.paths, on["push"]?.paths);
    const places = (on["push"]?.paths ?? []).map((each) => each.replace(/\/\*\*$/, ""));
    assert.deepEqual(
      places.filter((each) => !existsSync(each)),
      [],
    );
  });

  // What runs on Windows cannot be run here, so it does nothing but call what is tested.
  for (const name of ["scripts", "steps"]) {
    it(`has no logic of its own: ${name}`, () => {
      const runs = jobOf("windows-steps", name).steps.flatMap(({ run }) => run ?? []);
      const wrong = runs.filter(
        (run) =>
          !/^(npm ci --ignore-scripts|node --import tsx [\w/]+\.ts|\.\/test\/[\w/-]+\.ps1( -Packed packed)?|node packed\/drive\.mjs \w+ packed)$/.test(
            run,
          ),
      );
      assert.deepEqual(wrong, []);
    });
  }

  it("gives away neither keys nor programs", () => {
    const upload = jobOf("windows-steps", "steps").steps.at(-1);
    assert.equal(upload?.if, "${{ always() }}");
    const paths = String(upload?.with?.["path"]).trim().split("\n");
    assert.deepEqual(
      paths.filter((each) => !/\.json$|\.log$|logs?\/\*\*$/.test(each) || /login/.test(each)),
      [],
    );
  });
});

describe("dev-2025", () => {
  const { steps, ...job } = jobOf("nightly-rehearsal", "dev-2025");

  it("is skipped unless the repository's owner has accepted Microsoft's terms", () => {
    assert.equal(job.needs, "terms");
    assert.equal(job.if, "${{ needs.terms.outputs.run == 'true' }}");
    const [step] = jobOf("nightly-rehearsal", "terms").steps.slice(-1);
    assert.equal(step?.run, "node --import tsx test/hosted/guards.ts terms");
  });

  it("keeps no cache, and uploads only logs, always: no ISO and no disk leaves the runner", () => {
    const host = steps.find(({ uses }) => uses === "./.github/actions/lab-host");
    assert.deepEqual(host?.with, { "keep-cache": "false" });
    const uploads = steps.filter(({ uses = "" }) => uses.includes("upload-artifact"));
    assert.deepEqual(
      uploads.map((step) => [step.if, step.with?.["path"]]),
      [["${{ always() }}", "${{ runner.temp }}/logs"]],
    );
    assert.ok(!steps.some(({ uses = "" }) => uses.includes("actions/cache")));
    // The composite action keeps its cache only where it is asked to.
    const action = parse(readFileSync(".github/actions/lab-host/action.yaml", "utf8")) as {
      runs: { steps: Step[] };
    };
    const cache = action.runs.steps.find(({ uses = "" }) => uses.includes("actions/cache"));
    assert.equal(cache?.if, "${{ inputs.keep-cache == 'true' }}");
  });
});
