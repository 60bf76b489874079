import path from "node:path";
import {
  ownProgramNames,
  ownPrograms,
  versionComplaint,
  type OwnProgramName,
} from "../../components/windows/own-programs.ts";
import { examineProgram } from "../../components/windows/program-file.ts";
import { Failure } from "../../host/failure.ts";
import { unknownNodes } from "../lab/unknown-nodes.ts";

/** A program that a node gets. */
export interface Deployment {
  readonly program: OwnProgramName;
  /** Path on this host. */
  readonly path: string;
  readonly sha256: string;
  /** Place on the machine, in SFTP's notation. */
  readonly destination: string;
}

interface DeployTarget {
  readonly nodes: readonly { readonly name: string; readonly os: "windows" | "linux" }[];
  /** Kubernetes version of the cluster, without a leading `v`. */
  readonly kubernetesVersion: string;
}

/**
 * Reads what `kindows deploy` is to put onto a node.
 *
 * @param words `kubelet=PATH` and the like.
 * @throws Failure with everything that is wrong: with the node, the programs' names, their files and versions.
 */
export async function planDeploy(
  node: string,
  words: readonly string[],
  target: DeployTarget,
): Promise<readonly Deployment[]> {
  const problems = nodeProblems(node, target);
  const planned: Deployment[] = [];
  for (const word of words) {
    const [, name = "", file = ""] = /^([^=]*)=(.+)$/.exec(word) ?? [];
    const program = programNamed(name);
    if (program === undefined) {
      problems.push(`"${word}" names no program. Write ${forms}.`);
      continue;
    }
    const found = await examineProgram(file);
    const complaint =
      "why" in found
        ? found
        : (versionComplaint(program, found.version, target.kubernetesVersion) ??
          nameComplaint(program, file));
    if (complaint !== undefined) {
      problems.push(`${program}: ${file} ${complaint.why}. ${complaint.instead}`);
    } else if (!("why" in found)) {
      const destination = destinationOf(program, path.basename(file));
      if (planned.some((other) => other.destination === destination)) {
        problems.push(`${program}: ${destination} is given twice. Remove one of them.`);
      }
      planned.push({ program, path: path.resolve(file), sha256: found.sha256, destination });
    }
  }
  if (words.length === 0) problems.push(`no program is named. Write ${forms}.`);
  if (problems.length > 0) throw new Failure(problems.join("\n"));
  return planned;
}

/**
 * The places on the machine of the programs that are undone; none: all that were deployed.
 *
 * @param words names of programs; a CNI plugin as `cniPlugins=NAME.exe`.
 * @throws Failure as `planDeploy`.
 */
export function planUndo(
  node: string,
  words: readonly string[],
  target: DeployTarget,
): readonly string[] {
  const problems = nodeProblems(node, target);
  const places = words.flatMap((word) => {
    const [name = "", file] = word.split("=");
    const program = programNamed(name);
    const isPlugin = program === "cniPlugins";
    if (program !== undefined && isPlugin === (file !== undefined)) {
      const plugin = path.basename(file ?? "");
      const complaint = nameComplaint(program, plugin);
      if (complaint === undefined) return destinationOf(program, plugin);
    }
    problems.push(
      `"${word}" is nothing to undo. Write ${ownProgramNames.map((each) => (each === "cniPlugins" ? `${each}=NAME.exe` : each)).join(", ")}, or nothing for all.`,
    );
    return [];
  });
  if (problems.length > 0) throw new Failure(problems.join("\n"));
  return places;
}

const forms = `${ownProgramNames.map((name) => `${name}=FILE`).join(", ")}`;

function programNamed(name: string): OwnProgramName | undefined {
  return ownProgramNames.find((each) => each === name);
}

function nodeProblems(node: string, { nodes }: DeployTarget): string[] {
  const unknown = unknownNodes([node], nodes);
  if (unknown !== undefined) return [unknown];
  return nodes.some(({ name, os }) => name === node && os === "linux")
    ? [`${node} runs Linux, and deploy is for Windows nodes`]
    : [];
}

/** A CNI plugin keeps its name, by which the configuration of the pod network calls it. */
function nameComplaint(program: OwnProgramName, file: string) {
  return program !== "cniPlugins" || /^[A-Za-z0-9][-.\w]*\.exe$/.test(path.basename(file))
    ? undefined
    : {
        why: "is not named as a CNI plugin",
        instead: "Name it as the network's configuration calls it, NAME.exe.",
      };
}

function destinationOf(program: OwnProgramName, ownName: string): string {
  const { folder, ...rest } = ownPrograms[program];
  return `${folder}/${"file" in rest ? rest.file : ownName}`;
}

/** The name of a program at a path on the machine, as `deploy` and `status` call it. */
export function nameAt(destination: string): string {
  const [program] = ownProgramNames.filter((each) => destinationOf(each, "") === destination);
  return program ?? `cniPlugins=${path.posix.basename(destination)}`;
}
