import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { execa } from "execa";
import { buildCommand } from "../../../rehearsal/image/build-command.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { inNewFolder } from "../new-folder.ts";

/** What a module of the build prints for a user who is not root. */
async function asNobody(expression: string, path = process.env["PATH"] ?? ""): Promise<string> {
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const script = `
    import { buildCommand, requireRootOfOwn } from "./rehearsal/image/build-command.ts";
    process.stdout.write(await ${expression});`;
  const { stdout } = await execa(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", script],
    { ...nobody, cwd: projectRoot, env: { TSX_DISABLE_CACHE: "1", PATH: path } },
  );
  return stdout;
}

describe("programs that the rehearsal's image is built with", () => {
  it("find themselves root, and may mount, also where the user is not", async () => {
    const command = "id --user && unshare --mount sh -c 'mount --rbind /sys /sys && echo mounted'";
    const run = `buildCommand("/dev/null")("sh", ["-c", ${JSON.stringify(command)}])`;
    assert.equal(await asNobody(run), "0\nmounted");
  });

  it("are not begun with where users get no namespace, by a message that says so", async () => {
    const at = inNewFolder();
    chmodSync(at(), 0o755);
    writeFileSync(at("unshare"), "#!/bin/sh\necho denied >&2\nexit 1\n", { mode: 0o755 });
    const message = await asNobody(
      "requireRootOfOwn().catch(({ message }) => message)",
      `${at()}:${process.env["PATH"] ?? ""}`,
    );
    assert.match(message, /user namespace, which this host does not give you \(denied\): run this/);
  });

  it("ask once more for what a mirror did not give", async () => {
    const at = inNewFolder();
    const once = `mkdir "$1" && echo "no packages" >&2 && exit 1; echo done`;
    const run = (...args: readonly string[]): Promise<string> =>
      buildCommand(at("log"))("sh", ["-c", once, ...args]);
    assert.equal(await run("--download-only", at("first")), "done");
    await assert.rejects(run("--print-debs", at("second")), /no packages/);
  });
});
