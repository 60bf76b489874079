import { cp } from "node:fs/promises";
import path from "node:path";
import { EngineProject } from "./engine.ts";

const repository = path.resolve(import.meta.dirname, "../../../..");

/** What programs and host actions are made of. Tools and folders are looked for beside it, and tests edit it. */
const sources = [
  ...["cli", "components", "config", "plugins", "policy", "preflight", "rehearsal", "stacks"],
  ...["toolchain", "verify", "index.ts"],
];

/**
 * A project with this project's sources, for programs that import them as `./components/...`. These are bundled, as the
 * project's own program is: read file by file, and translated, each run of the engine takes some seconds more.
 */
export async function sourcesProject(): Promise<EngineProject> {
  const project = await EngineProject.create({}, { bundled: true });
  for (const part of sources) {
    await cp(path.join(repository, part), path.join(project.folder, part), { recursive: true });
  }
  return project;
}
