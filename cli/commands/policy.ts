import path from "node:path";

import { check, needless, readAllowances, type Finding } from "../../policy/check.ts";
import { rules } from "../../policy/rules.ts";
import { projectRoot } from "../../toolchain/project.ts";
import type { CommandResult, Options } from "../command-line/options.ts";
import { Failure } from "../../host/failure.ts";
import { watchInterruption } from "../../host/interruption.ts";
import { previewOf, previewTools } from "../preview-diff/preview.ts";
import { knownStacks } from "../stack-settings.ts";
import { table } from "../table.ts";

/** `kindows policy`: checks previews of stacks. Exit code 1 if a rule is broken, or an exception no longer needed. */
export async function policy({
  stacks,
  rules: onlyList,
}: Options<"rules"> & { readonly stacks?: readonly string[] }): Promise<CommandResult> {
  if (onlyList) {
    const rows = rules.map(({ name, description }) => [name, description]);
    process.stdout.write(`${table(["RULE", "WHAT MUST HOLD"], rows)}\n`);
    return undefined;
  }
  const allowances = await readAllowances(path.join(projectRoot, "policy"));
  const all = await knownStacks();
  const unknown = (stacks ?? []).filter((stack) => !all.includes(stack));
  if (unknown.length > 0) {
    throw new Failure(`there is no stack ${unknown.join(", ")}; the stacks are ${all.join(", ")}`);
  }
  const { signal } = watchInterruption();
  const tools = await previewTools(signal);
  const findings: Finding[] = [];
  for (const stack of stacks ?? all) {
    const found = check(await previewOf(projectRoot, stack, tools), allowances);
    findings.push(...found);
    process.stdout.write(`${stackText(stack, found)}\n`);
  }
  // Whether an exception is needed shows only in all stacks together.
  const unneeded = stacks === undefined ? needless(allowances.exceptions, findings) : [];
  for (const { rule, resource } of unneeded) {
    process.stdout.write(
      `policy/exceptions.yaml: no stack needs the exception of ${resource} from ${rule}: remove it\n`,
    );
  }
  const broken = findings.filter(({ accepted }) => accepted === undefined).length;
  const counts = [
    ...(broken > 0 ? [`rules broken: ${broken}`] : []),
    ...(unneeded.length > 0 ? [`exceptions that no stack needs: ${unneeded.length}`] : []),
  ];
  return counts.length === 0 ? undefined : counts.join(", ");
}

function stackText(stack: string, findings: readonly Finding[]): string {
  const broken = findings.filter(({ accepted }) => accepted === undefined).length;
  const lines = findings.map(({ rule, resource, message, accepted }) => {
    const where = resource === undefined ? "" : `${resource}: `;
    const title = accepted === undefined ? rule : `accepted (${rule})`;
    return `  - ${title}: ${where}${accepted ?? message}`;
  });
  return [`${stack}: ${broken === 0 ? "all rules kept" : `${broken} broken`}`, ...lines].join("\n");
}
