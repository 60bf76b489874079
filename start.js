/**
 * The program that the engine runs: index.ts, as one bundle if one can be written. The bundle omits parts of the SDK
 * that this program never calls, and halves the time of a preview without changes.
 */
import { loadProgram } from "./toolchain/program/fresh-bundle.js";

// The SDK records a stack trace for each of its promises, mapped to the sources, and shows it only with this variable
// (@pulumi/pulumi, runtime/debuggable.js). It also records where each resource is created (resource.js), which nothing
// here reads. Formatting these traces takes two fifths of a preview of forty nodes.
const unread = ["debuggablePromise", "callsites"];
const { prepareStackTrace } = Error;
if (prepareStackTrace !== undefined && !process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) {
  Error.prepareStackTrace = (error, frames) =>
    unread.includes(frames[0]?.getFunctionName() ?? "") ? "" : prepareStackTrace(error, frames);
}

export default { ...(await loadProgram("index.ts")) };
