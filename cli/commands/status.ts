import { builtTool } from "../../toolchain/built.ts";
import { stacksWithState } from "../engine/states.ts";
import { Failure, exitCodes } from "../../host/failure.ts";
import { isHealthy, statusText } from "../status/report.ts";
import type { LabStatus } from "../status/report.ts";
import { knownLab, lookAt } from "../status/look.ts";
import { watch } from "../status/watch.ts";
import { labIdentity } from "../stack-settings.ts";

export interface StatusOptions {
  readonly stack: string;
  /** Print JSON instead of a table. */
  readonly json: boolean;
  /** Keep watching until ^C. */
  readonly watch?: boolean;
  /** Seconds between two updates of a watch. */
  readonly interval?: number;
}

/**
 * `kindows status`: nodes, machines, and how to reach them.
 *
 * @returns exit code 0 when all nodes are Ready and all machines run, else 1; 0 if a watch was ended.
 */
export async function status(options: StatusOptions): Promise<number> {
  const { stack, json } = options;
  // Lists the existing stacks if this is not one of them.
  await labIdentity(stack);
  const look = looker(stack);
  if (options.watch) {
    await watchStack(stack, look, options.interval ?? 5);
    return exitCodes.ok;
  }
  const seen = await look();
  if (seen === undefined) {
    throw new Failure(notUp(stack));
  }
  if (json) {
    // Secrets are in the access files, not here.
    const { outputs, ...rest } = seen;
    const { controlPlane, nodes } = outputs;
    const document = { ...rest, healthy: isHealthy(seen), controlPlane, machinesOfStack: nodes };
    process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
  } else {
    process.stdout.write(`${statusText(seen, builtTool("kubectl"))}\n`);
  }
  return isHealthy(seen) ? exitCodes.ok : exitCodes.failed;
}

async function watchStack(
  stack: string,
  look: () => Promise<LabStatus | undefined>,
  intervalSeconds: number,
): Promise<void> {
  const end = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(name, () => end.abort());
  }
  await watch({
    look,
    report: (seen) => (seen === undefined ? notUp(stack) : statusText(seen, builtTool("kubectl"))),
    display: process.stdout,
    intervalSeconds,
    signal: end.signal,
    now: () => new Date(),
  });
}

/** Examines a stack's lab; asks the engine for outputs only if the state has changed since the last time. */
function looker(stack: string): () => Promise<LabStatus | undefined> {
  let written: string | undefined;
  let lab: Awaited<ReturnType<typeof knownLab>>;
  return async () => {
    const now = (await stacksWithState()).get(stack);
    if (now === undefined) {
      lab = undefined;
    } else if (lab === undefined || now !== written) {
      lab = await knownLab(stack);
    }
    written = now;
    return lab === undefined ? undefined : lookAt(lab);
  };
}

function notUp(stack: string): string {
  return `the stack ${stack} is not up: \`kindows up --stack ${stack}\``;
}
