import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Language, Parser, type Node } from "web-tree-sitter";
import { hyperVScriptsSource } from "../../../components/machine/hyper-v/scripts.ts";
import { imageScriptsSource } from "../../../images/windows/scripts-folder.ts";
import { stepsSource } from "../../../components/node/steps-folder.ts";
import { projectRoot } from "../../../toolchain/project.ts";

/** A parsed PowerShell file of the nodes' steps, or of a folder that uses the steps' library. */
export interface StepScript {
  /** Relative to its folder, e.g. `lib/Step.ps1`. */
  readonly file: string;
  readonly name: string;
  readonly isStep: boolean;
  readonly text: string;
  readonly root: Node;
  /** The scripts beside it when it runs. Default: the nodes' steps. */
  readonly pool?: readonly StepScript[];
}

export interface DeclaredParameter {
  readonly name: string;
  readonly type: string;
  readonly mandatory: boolean;
  readonly attributes: readonly string[];
  readonly defaultText: string | undefined;
}

await Parser.init();
const parser = new Parser();
parser.setLanguage(
  await Language.load(
    createRequire(import.meta.url).resolve("tree-sitter-powershell/tree-sitter-powershell.wasm"),
  ),
);

export function parsePowerShell(text: string): Node {
  const tree = parser.parse(text);
  if (!tree) throw new Error("the parser has no language");
  return tree.rootNode;
}

function scriptsIn(folder: string): StepScript[] {
  return readdirSync(folder, { recursive: true })
    .map((file) => String(file).split(path.sep).join("/"))
    .filter((file) => file.endsWith(".ps1"))
    .sort()
    .map((file) => {
      const text = readFileSync(path.join(folder, file), "utf8");
      const name = path.basename(file, ".ps1");
      return { file, name, isStep: !file.includes("/"), text, root: parsePowerShell(text) };
    });
}

/** Scripts of a folder that runs with the steps' library. */
function withLibrary(folder: string): StepScript[] {
  const own = scriptsIn(folder);
  const pool = [...own, ...scripts.filter((script) => !script.isStep)];
  return own.map((script) => ({ ...script, pool }));
}

/** The steps of nodes, with their library. */
export const scripts: readonly StepScript[] = scriptsIn(stepsSource);

export const steps = scripts.filter((script) => script.isStep);

export const imageScripts: readonly StepScript[] = withLibrary(imageScriptsSource);

/** Scripts that run by themselves: in kube-proxy's image, and on a hosted Windows. */
export const ownScripts: readonly StepScript[] = ["components/kubeproxy", "test/windows-runner"]
  .map((folder) => path.join(projectRoot, folder))
  .flatMap(scriptsIn);

export const hyperVScripts: readonly StepScript[] = withLibrary(hyperVScriptsSource);

export function nodes(below: Node, type: string): Node[] {
  return below.descendantsOfType(type).filter((node) => node !== null);
}

/** Parameters of the first `param()` block below a node, or of a function. */
export function declaredParameters(below: Node): DeclaredParameter[] {
  const block = nodes(below, "param_block")[0];
  return block ? nodes(block, "script_parameter").map(declaredParameter) : [];
}

function declaredParameter(node: Node): DeclaredParameter {
  const attributes = nodes(node, "attribute").map((attribute) => attribute.text);
  const types = attributes.filter((text) => !text.includes("("));
  return {
    name: node.children.find((child) => child?.type === "variable")?.text.slice(1) ?? "",
    type: types[0]?.slice(1, -1) ?? "",
    mandatory: attributes.some((text) => text.includes("Mandatory")),
    attributes,
    defaultText: nodes(node, "script_parameter_default")[0]?.text.replace(/^=\s*/, ""),
  };
}

export function functions(script: Pick<StepScript, "root">): Map<string, Node> {
  return new Map(
    nodes(script.root, "function_statement").map((node) => [
      nodes(node, "function_name")[0]?.text ?? "",
      node,
    ]),
  );
}

/** Name of the called command; empty if it is in a variable. */
export function commandName(command: Node): string {
  return command.children.find((child) => child?.type === "command_name")?.text ?? "";
}

export function elementsOf(command: Node): Node[] {
  const elements = command.children.find((child) => child?.type === "command_elements")?.children;
  return (elements ?? []).filter((child) => child !== null);
}

export function passedNames(command: Node): string[] {
  return elementsOf(command)
    .filter((element) => element.type === "command_parameter")
    .map((element) => element.text.slice(1));
}

export function enclosing(node: Node, type: string): Node | undefined {
  let current = node.parent;
  while (current && current.type !== type) current = current.parent;
  return current ?? undefined;
}

/** The script and all that it dot-sources, directly or indirectly. */
export function withDotSourced(script: StepScript): StepScript[] {
  const found = new Map([[script.file, script]]);
  for (const current of found.values()) {
    for (const match of current.text.matchAll(/^\. \(Join-Path \$PSScriptRoot '([^']+)'\)$/gm)) {
      const file = current.isStep ? (match[1] ?? "").replace("\\", "/") : `lib/${match[1]}`;
      const sourced = (script.pool ?? scripts).find((each) => each.file === file);
      if (!sourced) throw new Error(`${current.file} dot-sources ${file}, which does not exist`);
      found.set(file, sourced);
    }
  }
  return [...found.values()];
}

/** Code that can run in a step: its own, and each function that it calls, directly or indirectly. */
export function reachable(step: StepScript): Node[] {
  const known = new Map(withDotSourced(step).flatMap((each) => [...functions(each)]));
  const found = new Set([step.root]);
  for (const node of found) {
    for (const command of nodes(node, "command_name")) {
      const called = known.get(command.text);
      if (called) found.add(called);
    }
  }
  return [...found];
}
