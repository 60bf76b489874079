/**
 * Runs in the program's process before the program. Node.js 20.20 colours the stack of an error in a loop that never
 * ends when a line names a file directly below a scope, as in `node_modules/@pulumi/resource.ts` (node, lib/internal/
 * util/inspect.js, markNodeModules), and the SDK's source maps make such lines: a program that throws would hang
 * instead of failing. So errors are shown without colours.
 */
const PATCH = `
import util from "node:util";
import { syncBuiltinESMExports } from "node:module";
const { inspect } = util;
util.inspect = Object.assign(
  (value, options, ...rest) =>
    value instanceof Error && options?.colors === true
      ? inspect(value, { ...options, colors: false })
      : inspect(value, options, ...rest),
  inspect,
);
syncBuiltinESMExports();
`;

/** Arguments for Node.js that load the patch. */
export const errorsWithoutColors: readonly string[] = [
  "--import",
  `data:text/javascript,${encodeURIComponent(PATCH.trim())}`,
];
