import assert from "node:assert/strict";
import { execa } from "execa";
import { projectRoot } from "../../../toolchain/project.ts";

describe("programs that the rehearsal's image is built with", () => {
  it("find themselves root, and may mount, also where the user is not", async () => {
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const command = "id --user && unshare --mount sh -c 'mount --rbind /sys /sys && echo mounted'";
    const script = `
      import { buildCommand } from "./rehearsal/image/build-command.ts";
      process.stdout.write(await buildCommand("/dev/null")("sh", ["-c", ${JSON.stringify(command)}]));`;
    const { stdout } = await execa(
      process.execPath,
      ["--import", "tsx", "--input-type=module", "--eval", script],
      { ...nobody, cwd: projectRoot, env: { TSX_DISABLE_CACHE: "1" } },
    );
    assert.equal(stdout, "0\nmounted");
  });
});
