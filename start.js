/**
 * The program that the engine runs: index.ts, as one bundle if one can be written. The bundle omits parts of the SDK
 * that this program never calls, and halves the time of a preview without changes.
 */
import { RunError } from "@pulumi/pulumi/errors.js";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  throw new RunError(
    `Node.js 22.12 or later is needed, and the one on the PATH is ${process.version}: install it (https://nodejs.org), ` +
      'or use the one that kindows got for this clone: eval "$(./kindows env)"',
  );
}

// The SDK records a stack trace for each of its promises, mapped to the sources, and shows it only with this variable
// (@pulumi/pulumi, runtime/debuggable.js). It also records where each resource is created (resource.js), which nothing
// here reads. Formatting these traces takes two fifths of a preview of forty nodes.
const unread = ["debuggablePromise", "callsites"];
const { prepareStackTrace } = Error;
if (prepareStackTrace !== undefined && !process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) {
  Error.prepareStackTrace = (error, frames) =>
    unread.includes(frames[0]?.getFunctionName() ?? "") ? "" : prepareStackTrace(error, frames);
}

// Not at the top: older versions of Node.js can't load it.
const { loadProgram } = await import("./toolchain/program/fresh-bundle.js");
export default { ...(await loadProgram("index.ts")) };
