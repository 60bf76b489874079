import assert from "node:assert/strict";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";

import { execa } from "execa";

import { projectRoot } from "../../../../toolchain/project.ts";
import { inNewFolder } from "../../../unit/new-folder.ts";
import { EngineProject } from "./engine.ts";
import { shareBundle, shareCompiled } from "./shared-bundle.ts";

const repository = path.resolve(import.meta.dirname, "../../../..");

/** Sources of programs and host actions. */
const sources = [
  ...["cli", "components", "config", "host", "images", "offline", "policy", "rehearsal", "stacks"],
  ...["toolchain", "verify", "index.ts"],
];

/**
 * Copies this project's sources to a folder, because they look for built files beside themselves, and tests edit them.
 *
 * @param more further files of the project.
 */
export async function copySources(folder: string, more: readonly string[] = []): Promise<void> {
  for (const name of [...sources, ...more]) {
    await cp(path.join(repository, name), path.join(folder, name), { recursive: true });
  }
}

/** Copies this project's tracked and untracked files to a new folder. */
export async function freshClone(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const copy = `git ls-files -z --cached --others --exclude-standard |
    tar --create --null --files-from - --ignore-failed-read | tar --extract --directory "$CLONE"`;
  await execa("bash", ["-c", copy], { cwd: projectRoot, env: { CLONE: folder } });
}

const stackFile = "Pulumi.dev.yaml";

/** An unchanged copy of this project, with its own state for the stack `dev`. */
export class CopiedProject {
  private constructor(
    /** A path in its folder. */
    readonly at: (...names: readonly string[]) => string,
    /** The committed stack's salt, for the empty passphrase. */
    private readonly seal: string,
  ) {}

  static async create(): Promise<CopiedProject> {
    const at = inNewFolder();
    await copySources(at(), ["start.js", "package.json", "package-lock.json", "Pulumi.yaml"]);
    for (const name of ["node_modules", "sdks"]) {
      await symlink(path.join(projectRoot, name), at(name));
    }
    await mkdir(at(".kindows", "state"), { recursive: true });
    await shareBundle(at());
    await shareCompiled(at());
    await symlink(path.join(projectRoot, ".kindows/artifacts.json"), at(".kindows/artifacts.json"));
    // A home of its own, since commands of the copy lead its plugins to their cache.
    for (const name of ["plugins", "dynamic_tf_plugins"].map((each) => `.kindows/pulumi/${each}`)) {
      const options = { recursive: true, verbatimSymlinks: true };
      await cp(path.join(projectRoot, name), at(name), options);
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

/**
 * A project with this project's sources, for programs that import them as `./components/...`. They are bundled like the
 * project's own program, which saves some seconds in each run of the engine.
 */
export async function sourcesProject(): Promise<EngineProject> {
  const project = await EngineProject.create({}, { bundled: true });
  await copySources(project.folder, ["package-lock.json"]);
  await shareBundle(project.folder);
  return project;
}
