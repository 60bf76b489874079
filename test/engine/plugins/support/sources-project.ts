import { copySources } from "./copy-sources.ts";
import { EngineProject } from "./engine.ts";

/**
 * A project with this project's sources, for programs that import them as `./components/...`. These are bundled, as the
 * project's own program is: read file by file, and translated, each run of the engine takes some seconds more.
 */
export async function sourcesProject(): Promise<EngineProject> {
  const project = await EngineProject.create({}, { bundled: true });
  await copySources(project.folder);
  return project;
}
