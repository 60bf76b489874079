/**
 * Loaded before Pulumi's SDK, by `nodeargs` in Pulumi.yaml and by tests: leaves out what the SDK does for programs of
 * another kind. That is a fifth of the processor time of a preview's program.
 */
import inspector from "node:inspector";

// The SDK records a stack trace for each of its promises, mapped to the sources, and shows it only with this variable
// (@pulumi/pulumi, runtime/debuggable.js). It also records where each resource is created (resource.js), which nothing
// here reads.
if (!process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) withoutTraces(["debuggablePromise", "callsites"]);
withoutDebugger();

/** Makes traces empty that these functions of the SDK ask for, whoever maps traces to sources, now or later. */
function withoutTraces(functions) {
  const made = new WeakSet();
  const isUnread = ([frame]) =>
    functions.includes(frame?.getFunctionName()) && /\/@pulumi\/pulumi\//.test(frame.getFileName());
  const without = (prepare) => {
    if (typeof prepare !== "function" || made.has(prepare)) return prepare;
    const prepareRead = (error, frames) => (isUnread(frames) ? "" : prepare(error, frames));
    made.add(prepareRead);
    return prepareRead;
  };
  let current = without(Error.prepareStackTrace);
  Object.defineProperty(Error, "prepareStackTrace", {
    ...{ configurable: true, enumerable: false },
    get: () => current,
    set: (prepare) => {
      current = without(prepare);
    },
  });
}

/**
 * The SDK debugs each program, so that it can send functions elsewhere as text (runtime/closure/v8Hooks.js). No function
 * of ours is sent, and V8 hashes and indexes each script for a debugger.
 */
function withoutDebugger() {
  const { post } = inspector.Session.prototype;
  inspector.Session.prototype.post = function (method, ...rest) {
    if (method !== "Debugger.enable") return post.call(this, method, ...rest);
    for (const done of rest) if (typeof done === "function") done(null, {});
    return undefined;
  };
}
