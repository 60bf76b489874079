import { readFile } from "node:fs/promises";
import path from "node:path";
import { runProgram } from "../../host/run-program.ts";
import * as z from "zod";

import { artifactAddress } from "../cache.ts";
import { projectRoot } from "../project.ts";
import { githubFile } from "../publisher.ts";
import type { Download, ToolArtifact } from "./tool.ts";

const packageSchema = z.object({ version: z.string() });

/** Tools that nobody else publishes are in this project's releases. @returns undefined if not cloned from GitHub. */
export async function ownRelease(
  artifact: ToolArtifact,
  root = projectRoot,
): Promise<readonly Download[] | undefined> {
  const repository = await originOnGithub(root);
  if (repository === undefined) return undefined;
  const { version } = packageSchema.parse(
    JSON.parse(await readFile(path.join(root, "package.json"), "utf8")),
  );
  const file = releaseArchive(await artifactAddress(artifact));
  const members = Object.fromEntries(
    Object.keys(artifact.tool.go.packages).map((name) => [name, name]),
  );
  return [{ ...githubFile(repository, version, file), members }];
}

export function releaseArchive(address: string): string {
  return `${address}.tar.gz`;
}

async function originOnGithub(root: string): Promise<string | undefined> {
  const file = path.join(root, ".git/config");
  const git = await runProgram("git", ["config", "--file", file, "remote.origin.url"], 10);
  return /^(?:https:\/\/|(?:ssh:\/\/)?git@)github\.com[:/]([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(
    git.how === "well" ? git.stdout : "",
  )?.[1];
}
