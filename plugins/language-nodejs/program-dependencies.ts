import language from "@pulumi/pulumi/proto/language_pb.js";
import type { DependencyInfo } from "@pulumi/pulumi/proto/language_pb.js";
import { findPackage, findProject } from "./package-json.ts";

/** The packages the program names in its package.json, with the versions that are installed. For `pulumi about`. */
export async function programDependencies(program: string): Promise<DependencyInfo[]> {
  const project = await findProject(program);
  if (project === undefined) return [];
  const result: DependencyInfo[] = [];
  const direct = { ...project.json.dependencies, ...project.json.devDependencies };
  for (const [name, wanted] of Object.entries(direct)) {
    const installed = await findPackage(name, project.folder);
    const info = new language.DependencyInfo();
    info.setName(name);
    info.setVersion(installed?.json.version ?? `${wanted} (not installed)`);
    result.push(info);
  }
  return result;
}
