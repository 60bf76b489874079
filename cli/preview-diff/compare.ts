import { Failure, messageOf } from "../../host/failure.ts";
import { differenceOf } from "./difference.ts";
import type { StackReport } from "./markdown.ts";
import { previewOf } from "./preview.ts";
import type { PreviewTools } from "./preview.ts";
import type { Previewed } from "./previewed.ts";

const nothing: Previewed = { resources: [], components: [], diagnostics: [] };

/** The two versions of a project, and which stacks they have. */
export interface Versions {
  readonly base: { readonly folder: string; readonly stacks: readonly string[] };
  readonly head: { readonly folder: string; readonly stacks: readonly string[] };
}

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
      if (!(error instanceof Failure)) {
        throw error;
      }
      troubles.push(
        ...messageOf(error)
          .split("\n")
          .map((line) => `${version}: ${line}`),
      );
      return nothing;
    }
  };
  // Sequentially: each of them keeps a core or two busy.
  const before = inBase ? await preview("base", base.folder) : nothing;
  const after = inHead ? await preview("head", head.folder) : nothing;
  const only = inBase === inHead ? {} : { only: inBase ? ("base" as const) : ("head" as const) };
  const known = new Set(before.diagnostics.map(({ message }) => message));
  return {
    stack,
    troubles,
    warnings: after.diagnostics
      .filter(({ severity, message }) => severity === "warning" && !known.has(message))
      .map(({ message }) => message.trim()),
    ...only,
    ...(troubles.length === 0 && { difference: differenceOf(before, after) }),
  };
}
