/** PowerShell's own parser finds no error in any script. */
import { join } from "node:path";
import { execa } from "execa";
import { projectRoot } from "../../../toolchain/project.ts";
import { type Kind, Judgement } from "../kind.ts";

/** One process reads all files. */
const script = join(import.meta.dirname, "Find-SyntaxError.ps1");

export const parser: Kind = {
  name: "parser",
  async judge(shell) {
    const judgement = new Judgement();
    const { stdout } = await execa(
      "git",
      ["ls-files", "-co", "--exclude-standard", "*.ps1", "*.psm1", "*.psd1"],
      {
        cwd: projectRoot,
      },
    );
    const files = stdout.split("\n").map((name) => join(projectRoot, name));
    const ran = await shell.run({
      args: ["-File", shell.path(script)],
      input: files.map((file) => `${shell.path(file)}\n`).join(""),
    });
    const results = ran.stdout.split(/\r?\n/).filter((line) => line !== "");
    files.forEach((file, n) => {
      const result = results[n] ?? `PowerShell ended before it: ${ran.stderr.slice(-500)}`;
      judgement.same(file, result, "right");
    });
    return judgement;
  },
};
