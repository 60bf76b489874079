import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { Failure } from "../../host/failure.ts";
import { lines } from "../../host/host.ts";
import { runProgram } from "../../host/run-program.ts";
import { stackOf } from "../engine/folders.ts";

/** Longest time for a git command, such as checking out a tree of this size. */
const gitSeconds = 120;

/** Longest time for installing the Node.js packages of another lock file. */
const packagesSeconds = 900;

export class Repository {
  constructor(private readonly folder: string) {}

  async commit(reference: string): Promise<string> {
    try {
      return await this.#git("rev-parse", "--verify", "--quiet", `${reference}^{commit}`);
    } catch {
      throw new Failure(
        `git finds no commit "${reference}": name a branch, a tag or a commit (in CI, fetch it first: ` +
          `git fetch --depth 1 origin <branch>; then FETCH_HEAD)`,
      );
    }
  }

  /**
   * The merge base of a change, so that later commits of the other branch are not part of it; the commit itself if the
   * history is too short, as in a shallow clone.
   */
  async mergeBase(commit: string): Promise<string> {
    return this.#git("merge-base", commit, "HEAD").catch(() => commit);
  }

  /** Files in the working tree that differ from a commit, including untracked ones. */
  async changedSince(commit: string): Promise<readonly string[]> {
    const [known, fresh] = await Promise.all([
      this.#git("diff", "--name-only", "--no-renames", "--relative", commit),
      this.#git("ls-files", "--others", "--exclude-standard"),
    ]);
    return lines(`${known}\n${fresh}`);
  }

  /** Stacks of a commit, or of the working tree; ignored files are private. */
  async stacks(commit?: string): Promise<readonly string[]> {
    const args = commit
      ? ["ls-tree", "--name-only", commit]
      : ["ls-files", "--cached", "--others", "--exclude-standard"];
    return lines(await this.#git(...args))
      .filter((name) => commit !== undefined || existsSync(path.join(this.folder, name)))
      .flatMap((name) => stackOf(name) ?? [])
      .sort();
  }

  /**
   * Runs `work` in a temporary checkout of a commit, which is always removed.
   *
   * @param work receives the project's folder in the checkout.
   */
  async withTree<T>(commit: string, work: (project: string) => Promise<T>): Promise<T> {
    const below = await this.#git("rev-parse", "--show-prefix");
    const temporary = await mkdtemp(path.join(os.tmpdir(), "kindows-base-"));
    const tree = path.join(temporary, "tree");
    try {
      await this.#git("worktree", "add", "--detach", "--force", tree, commit);
      const project = path.join(tree, below);
      await this.#addUntracked(project);
      return await work(project);
    } finally {
      await this.#git("worktree", "remove", "--force", tree).catch(() => undefined);
      await rm(temporary, { recursive: true, force: true });
      await this.#git("worktree", "prune").catch(() => undefined);
    }
  }

  /** Adds the untracked files that the program needs: packages, and the record of what is prepared on this host. */
  async #addUntracked(project: string): Promise<void> {
    const lock = "package-lock.json";
    const [mine, theirs] = await Promise.all(
      [this.folder, project].map((folder) => readFile(path.join(folder, lock), "utf8")),
    );
    if (mine === theirs) {
      await symlink(path.join(this.folder, "node_modules"), path.join(project, "node_modules"));
    } else {
      await this.#run("./toolchain/dependencies.sh", [], project, packagesSeconds);
    }
    const prepared = path.join(".kindows", "artifacts.json");
    if (existsSync(path.join(this.folder, prepared))) {
      await mkdir(path.join(project, ".kindows"), { recursive: true });
      await cp(path.join(this.folder, prepared), path.join(project, prepared));
    }
  }

  async #git(...args: string[]): Promise<string> {
    return this.#run("git", args, this.folder, gitSeconds);
  }

  async #run(program: string, args: string[], cwd: string, seconds: number): Promise<string> {
    // A hook or a caller may have set git's variables for another folder.
    const env = { GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined };
    const { how, stdout, reason } = await runProgram(program, args, seconds, { cwd, env });
    if (how === "well") return stdout.trim();
    throw new Failure(`\`${[program, ...args].join(" ")}\` in ${cwd} failed: ${reason}`);
  }
}

/** Paths that no stack depends on: changes there need no preview. */
const irrelevant =
  /^(?:docs|test|bench|samples|policy|rehearsal\/README|\.github|\.ci)\/|(?:^|\/)[^/]*\.md$|^(?:Makefile|LICENSE|\.[^/]*|eslint\.config\.js|PSScriptAnalyzerSettings\.psd1)$/;

/**
 * The stacks that a change may affect: those whose settings it contains, or all of them.
 *
 * @param files the files that differ, relative to the project.
 * @param stacks the stacks of both versions.
 */
export function touchedStacks(
  files: readonly string[],
  stacks: readonly string[],
): readonly string[] {
  const relevant = files.filter((file) => !irrelevant.test(file));
  const settings = new Set(relevant.map(stackOf));
  // Contains undefined for any file other than settings.
  return settings.has(undefined) ? stacks : stacks.filter((stack) => settings.has(stack));
}
