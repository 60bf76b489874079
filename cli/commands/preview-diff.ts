import { writeFile } from "node:fs/promises";
import { projectRoot } from "../../toolchain/project.ts";
import { Failure, exitCodes } from "../../host/failure.ts";
import type { CommandResult } from "../command-line/options.ts";
import { watchInterruption } from "../../host/interruption.ts";
import { Repository, touchedStacks } from "../preview-diff/git.ts";
import { markdown, type StackReport } from "../preview-diff/markdown.ts";
import { previewTools, previewOf, type PreviewTools } from "../preview-diff/preview.ts";
import { say } from "../progress.ts";
import { differenceOf } from "../preview-diff/difference.ts";
import type { Previewed } from "../../policy/previewed.ts";

interface PreviewDiffOptions {
  readonly base: string;
  readonly out?: string;
  readonly stacks?: readonly string[];
}

/**
 * `kindows preview-diff`: shows what a change of settings or program does to the stacks, as one Markdown document.
 * Needs neither Docker nor libvirt nor any stack's state. Exit code 0, or 1 when a stack cannot be previewed; the
 * document says why.
 */
export async function previewDiff({
  base,
  out,
  stacks,
}: PreviewDiffOptions): Promise<CommandResult> {
  const repository = new Repository(projectRoot);
  const commit = await repository.mergeBase(await repository.commit(base));
  const [files, inBase, inHead] = await Promise.all([
    repository.changedSince(commit),
    repository.stacks(commit),
    repository.stacks(),
  ]);
  const all = [...new Set([...inBase, ...inHead])].sort();
  const unknown = (stacks ?? []).filter((stack) => !all.includes(stack));
  if (unknown.length > 0) {
    throw new Failure(
      `there is no stack ${unknown.join(", ")} in either version; the stacks are ${all.join(", ")}`,
    );
  }
  const chosen = stacks ?? touchedStacks(files, all);
  const { signal } = watchInterruption();
  const reports: StackReport[] = [];
  if (chosen.length > 0) {
    const tools = await previewTools(signal);
    await repository.withTree(commit, async (folder) => {
      const head = { folder: projectRoot, stacks: inHead };
      const versions = { base: { folder, stacks: inBase }, head };
      for (const stack of chosen) {
        say(`previewing ${stack} before and after`);
        reports.push(await compareStack(stack, versions, tools));
        if (signal.aborted) return;
      }
    });
  }
  if (signal.aborted) return exitCodes.interrupted;
  const title = { base: `${base} (${commit.slice(0, 10)})`, head: "the change" };
  const document = markdown(title, reports);
  await (out === undefined ? process.stdout.write(document) : writeFile(out, document));
  const failed = reports.filter(({ troubles }) => troubles.length > 0).map(({ stack }) => stack);
  return failed.length === 0 ? undefined : `these stacks cannot be previewed: ${failed.join(", ")}`;
}

const nothing: Previewed = { resources: [], diagnostics: [] };

type Versions = Readonly<
  Record<"base" | "head", { readonly folder: string; readonly stacks: readonly string[] }>
>;

/** Previews a stack in both versions; failures are part of the report. */
export async function compareStack(
  stack: string,
  { base, head }: Versions,
  tools: PreviewTools,
): Promise<StackReport> {
  const inBase = base.stacks.includes(stack);
  const inHead = head.stacks.includes(stack);
  const troubles: string[] = [];
  const preview = async (version: string, folder: string): Promise<Previewed> => {
    try {
      return await previewOf(folder, stack, tools);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      troubles.push(...error.message.split("\n").map((line) => `${version}: ${line}`));
      return nothing;
    }
  };
  // Sequentially: each of them keeps a core or two busy.
  const before = inBase ? await preview("base", base.folder) : nothing;
  const after = inHead ? await preview("head", head.folder) : nothing;
  const known = new Set(before.diagnostics.map(({ message }) => message));
  const warnings = after.diagnostics
    .filter(({ severity, message }) => severity === "warning" && !known.has(message))
    .map(({ message }) => message.trim());
  return {
    stack,
    troubles,
    warnings,
    ...(inBase !== inHead && { only: inBase ? "base" : "head" }),
    ...(troubles.length === 0 && { difference: differenceOf(before, after) }),
  };
}
