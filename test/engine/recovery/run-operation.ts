/**
 * Runs an engine operation like `kindows`, in a separate process that a test can send signals to.
 *
 * Standard input: JSON of `{stack, workplace, args}`.
 */
import { text } from "node:stream/consumers";
import { Pulumi } from "../../../cli/engine/pulumi.ts";
import { Failure } from "../../../host/failure.ts";

interface Order {
  readonly stack: string;
  readonly workplace: Pulumi["workplace"];
  readonly args: readonly string[];
}

const { stack, workplace, args } = JSON.parse(await text(process.stdin)) as Order;
try {
  await new Pulumi(stack, workplace).operation({ args });
} catch (error) {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = error instanceof Failure ? error.exitCode : 99;
}
