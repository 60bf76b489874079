import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";

import { addToLock } from "../../../toolchain/software-lock.ts";
import { eachCase } from "../each-case.ts";
import { inNewFolder } from "../new-folder.ts";

const kubelet = "https://dl.k8s.io/release/v1.36.4/bin/windows/amd64/kubelet.exe";
const containerd = "https://github.com/containerd/containerd/releases/download/v2.3.0/x.tar.gz";

describe("signatures of newly locked files", () => {
  /** A repository with a lock in which these are new, a publisher of this content, and a cosign of this opinion. */
  const verify = async (content: string, { signed = true, locked = content } = {}) => {
    const at = inNewFolder();
    mkdirSync(at("toolchain"));
    mkdirSync(at("bin"));
    cpSync("toolchain/verify-signatures.sh", at("toolchain/verify-signatures.sh"));
    const lock = at("software.lock.json");
    const entry = {
      sha256: createHash("sha256").update(locked).digest("hex"),
      takenFrom: "https://example.test",
      takenOn: "2026-11-29",
    };
    const program = (name: string, lines: string): void =>
      writeFileSync(at("bin", name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
    program(
      "curl",
      `for last; do :; done; while [ "$1" != --output ]; do shift; done; echo "$last" >>'${at("asked")}'; printf %s '${content}' >"$2"`,
    );
    program("cosign", `echo "$@" >>'${at("asked")}'; exit ${signed ? 0 : 1}`);
    const env = { PATH: `${at("bin")}:${process.env["PATH"] ?? ""}`, COSIGN: at("bin/cosign") };
    const git = (...args: string[]) =>
      execa("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: at() });
    await addToLock(lock, "https://dl.k8s.io/release/old", entry);
    await git("init", "--quiet");
    await git("add", ".");
    await git("commit", "--quiet", "--message", "x");
    for (const url of [kubelet, containerd]) await addToLock(lock, url, entry);
    const script = path.join(at(), "toolchain/verify-signatures.sh");
    const ended = await execa(script, { env, reject: false, all: true });
    const asked = await execa("cat", [at("asked")], { reject: false });
    return { ...ended, asked: asked.stdout };
  };

  it("are checked where the publisher signs, and the others are listed", async () => {
    const { exitCode, all, asked } = await verify("kubelet");
    assert.equal(exitCode, 0, all);
    assert.deepEqual(all.split("\n").sort(), [`not signed: ${containerd}`, `signed: ${kubelet}`]);
    assert.match(
      asked,
      new RegExp(`^${kubelet}\n${kubelet}\\.sig\n${kubelet}\\.cert\nverify-blob `),
    );
    assert.match(asked, /--certificate-identity krel-staging@k8s-releng-prod\./);
    assert.doesNotMatch(asked, /release\/old/);
  });

  const wrong = {
    "a wrong signature": { signed: false },
    "a file that is another than was locked": { locked: "something else" },
  };
  eachCase("end the run at %s", wrong, async (how) => {
    const { exitCode, all } = await verify("kubelet", how);
    assert.equal(exitCode, 1, all);
    assert.doesNotMatch(all, /^signed/m);
  });
});
