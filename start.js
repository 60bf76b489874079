/**
 * What the engine runs: the program of index.ts, as one bundle. A preview that has nothing to change takes about half
 * the time; the SDK comes without its parts that this program never calls.
 */
import { pathToFileURL } from "node:url";
import { freshBundle } from "./toolchain/program/fresh-bundle.js";

// The SDK keeps the stack of each of its promises, mapped to the sources, and shows it only with this variable
// (@pulumi/pulumi, runtime/debuggable.js). Writing them takes a third of a preview of forty nodes.
const { prepareStackTrace } = Error;
if (prepareStackTrace !== undefined && !process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) {
  Error.prepareStackTrace = (error, frames) =>
    frames[0]?.getFunctionName() === "debuggablePromise" ? "" : prepareStackTrace(error, frames);
}

export default { ...(await import(pathToFileURL(freshBundle("index.ts")).href)) };
