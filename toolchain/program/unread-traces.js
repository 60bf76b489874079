/** Loaded before a program, and before tests: leaves out stack traces that nobody reads. */

// The SDK records a stack trace for each of its promises, mapped to the sources, and shows it only with this variable
// (@pulumi/pulumi, runtime/debuggable.js). It also records where each resource is created (resource.js), which nothing
// here reads. Formatting these traces takes two fifths of a preview of forty nodes.
const unread = ["debuggablePromise", "callsites"];
const { prepareStackTrace } = Error;
if (prepareStackTrace !== undefined && !process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) {
  Error.prepareStackTrace = (error, frames) =>
    unread.includes(frames[0]?.getFunctionName() ?? "") ? "" : prepareStackTrace(error, frames);
}
