import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Artifact } from "../../toolchain/artifact.ts";
import { buildCommand } from "../image/build-command.ts";

/** Files of a Debian package that is not installed. */
export interface DebianFiles {
  /** Of the artifact. */
  readonly name: string;
  readonly package: string;
  /** What the real one is called, where the package does nothing but need it: apt must know such a one. */
  readonly needs?: RegExp;
  /** Names without folders; a file `vmlinuz-VERSION` is a `vmlinuz`. */
  readonly files: readonly string[];
}

/** Downloads a package by apt and takes files out of it. */
export function debianFiles({ name, package: wanted, needs, files }: DebianFiles): Artifact {
  return {
    name,
    needs: [],
    hostPackages: ["dpkg"],
    inputs: () => Promise.resolve({ package: wanted, files: files.join(" ") }),
    async build(into, context) {
      const run = buildCommand(context.logFile);
      const depends = await run("apt-cache", ["depends", wanted]);
      const real = needs === undefined ? wanted : needs.exec(depends)?.[0];
      if (real === undefined) throw new Error(`apt knows no ${wanted}: apt-get update`);
      const work = join(into, "work");
      await mkdir(work);
      context.progress(`downloads ${real}`);
      const download = 'cd "$0" && apt-get -o APT::Sandbox::User=root download "$1"';
      await run("sh", ["-c", download, work, real]);
      const [archive = ""] = (await readdir(work)).filter((each) => each.endsWith(".deb"));
      await run("dpkg-deb", ["--extract", join(work, archive), work]);
      const entries = await readdir(work, { recursive: true, withFileTypes: true });
      for (const file of files) {
        const entry = entries.find(
          (each) => each.isFile() && (each.name === file || each.name.startsWith(`${file}-`)),
        );
        if (entry === undefined) throw new Error(`${real} has no ${file}`);
        await copyFile(join(entry.parentPath, entry.name), join(into, file));
      }
      await rm(work, { recursive: true });
    },
  };
}
