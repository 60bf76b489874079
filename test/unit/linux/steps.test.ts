import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseStepResult } from "../../../components/windows/step-result.ts";
import { inNewFolder } from "../new-folder.ts";
import { eachCase } from "../each-case.ts";

const steps = path.join(import.meta.dirname, "../../../components/linux/steps");
const library = path.join(steps, "lib.sh");

/** Runs lines with the steps' library, as a step does: `sh`, `set -eu`. */
function run(lines: string): {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
} {
  const { status, stdout, stderr } = spawnSync("sh", ["-c", `set -eu\n. ${library}\n${lines}`], {
    encoding: "utf8",
    timeout: 300_000,
  });
  return { code: status, out: stdout, errors: stderr };
}

describe("the library of the Linux steps", () => {
  let at: ReturnType<typeof inNewFolder>;
  beforeEach(() => (at = inNewFolder()));

  it("gives a result that this program reads", () => {
    const { out } = run(`begin join-node\nchanged=true\nfinish '"nodeName":"linux-1"'`);
    const { changed, facts, rebootRequired } = parseStepResult("join-node", "linux-1", out);
    assert.deepEqual(
      { changed, facts, rebootRequired },
      { changed: true, facts: { nodeName: "linux-1" }, rebootRequired: false },
    );
  });

  it("ends with code, reason and remedy where something is wrong", () => {
    const { code, out, errors } = run("begin prepare-host\nfail NoGood 'it is bad.' 'Do this.'");
    assert.equal(code, 1);
    assert.equal(out, "");
    assert.match(errors, /^prepare-host on \S+ failed \(NoGood\): it is bad\. Do this\.\n$/);
  });

  const written: Readonly<Record<string, readonly [before: string | undefined, changed: string]>> =
    {
      "one that is not there": [undefined, "true"],
      "one with another content": ["old\n", "true"],
      "none that is so already": ["new\n", "false"],
    };
  eachCase("writes %s", written, ([before, changed]) => {
    const file = at("file");
    if (before !== undefined) writeFileSync(file, before);
    const { out } = run(`begin x\nwrite_file ${file} <<CONF\nnew\nCONF\necho $changed`);
    assert.equal(readFileSync(file, "utf8"), "new\n");
    assert.deepEqual(readdirSync(at()), ["file"]);
    assert.equal(out.trim(), changed);
  });

  it("names the packages of programs that are missing", () => {
    const { out } = run("packages_of conntrack ip modprobe nsenter sha256sum iptables");
    assert.equal(out, "conntrack\niproute2\nkmod\nutil-linux\ncoreutils\niptables\n");
  });

  it("finds programs that are not there", () => {
    const { out } = run(`PATH=${at()}; missing_programs`);
    assert.match(out, /^ conntrack gzip ip .* tar$/);
    const programs = out.trim().split(" ");
    for (const name of programs) writeFileSync(at(name), "", { mode: 0o755 });
    assert.equal(run(`PATH=${at()}; missing_programs`).out, "");
  });

  const installed: Readonly<Record<string, readonly [aptGet: string, code: number]>> = {
    installs: ['echo "$@" >>"$0.log"', 0],
    "says that nothing was installed where there is no mirror": ["exit 100", 100],
  };
  eachCase("%s, by apt-get", installed, ([aptGet, code]) => {
    const program = at("apt-get");
    writeFileSync(program, `#!/bin/sh\n${aptGet}\n`, { mode: 0o755 });
    const done = run(`PATH=${at()}:$PATH; install_packages conntrack iptables`);
    assert.equal(done.code, code);
    if (code === 0) {
      assert.match(
        readFileSync(`${program}.log`, "utf8"),
        /update\n.* --yes .* install conntrack iptables\n$/,
      );
    }
  });

  it("waits until a command is successful, and no longer than it may", () => {
    const file = at("later");
    assert.equal(run(`(sleep 1; : >${file}) & await 300 test -e ${file}`).code, 0);
    assert.equal(run("await 1 false || exit 7").code, 7);
  });
});

describe("the Linux steps", () => {
  const scripts = readdirSync(steps).filter((name) => name !== "lib.sh");
  for (const name of scripts) {
    const text = readFileSync(path.join(steps, name), "utf8");
    it(`${name} stops at the first failure, says who it is, and ends with a result`, () => {
      assert.match(text, /^#!\/bin\/sh\n/);
      assert.match(text, /\nset -eu\n/);
      assert.ok(text.includes(`\nbegin ${name.replace(".sh", "")}\n`));
      assert.match(text.trimEnd().split("\n").at(-1) ?? "", /^finish /);
    });
  }
});
