import assert from "node:assert/strict";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { inNewFolder } from "../../../unit/new-folder.ts";
import { projectRoot } from "../../../../toolchain/project.ts";
import { copySources } from "./copy-sources.ts";

const stackFile = "Pulumi.dev.yaml";

/** A copy of this project, which the engine runs as it is, with a state of its own for its stack `dev`. */
export class CopiedProject {
  private constructor(
    /** Paths in its folder. */
    readonly at: (...names: readonly string[]) => string,
    /** The committed stack's, which opens with the empty passphrase. */
    private readonly seal: string,
  ) {}

  static async create(): Promise<CopiedProject> {
    const at = inNewFolder();
    await copySources(at(), ["start.js", "package.json", "package-lock.json", "Pulumi.yaml"]);
    for (const name of ["node_modules", "sdks"]) {
      await symlink(path.join(projectRoot, name), at(name));
    }
    await mkdir(at(".kindows", "state"), { recursive: true });
    for (const name of ["artifacts.json", "pulumi"]) {
      await symlink(path.join(projectRoot, ".kindows", name), at(".kindows", name));
    }
    const committed = await readFile(path.join(projectRoot, stackFile), "utf8");
    const seal = /^encryptionsalt: .*$/m.exec(committed)?.[0] ?? assert.fail("no seal");
    return new CopiedProject(at, seal);
  }

  /** Replaces the stack's settings. */
  put(settings: string): Promise<void> {
    return writeFile(this.at(stackFile), `${settings}\n${this.seal}\n`);
  }
}
