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

// Not at the top: older versions of Node.js can't load it.
const { loadProgram } = await import("./toolchain/program/fresh-bundle.js");
export default { ...(await loadProgram("index.ts")) };
