/**
 * What the engine runs: the program of index.ts, where that is possible as one bundle. A preview that has nothing to
 * change takes about half the time then; the SDK comes without its parts that this program never calls.
 */
import { loadProgram } from "./toolchain/program/fresh-bundle.js";

// The SDK keeps the stack of each of its promises, mapped to the sources, and shows it only with this variable
// (@pulumi/pulumi, runtime/debuggable.js). It also notes from where each resource is created, which nothing here reads
// (resource.js). Writing them takes two fifths of a preview of forty nodes.
const unread = ["debuggablePromise", "callsites"];
const { prepareStackTrace } = Error;
if (prepareStackTrace !== undefined && !process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) {
  Error.prepareStackTrace = (error, frames) =>
    unread.includes(frames[0]?.getFunctionName() ?? "") ? "" : prepareStackTrace(error, frames);
}

export default { ...(await loadProgram("index.ts")) };
