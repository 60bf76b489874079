/**
 * What the engine runs: the program of index.ts, as one bundle. A preview that has nothing to change takes about half
 * the time; the SDK comes without its parts that this program never calls.
 */
import { pathToFileURL } from "node:url";
import { freshBundle } from "./toolchain/program/fresh-bundle.js";

export default { ...(await import(pathToFileURL(freshBundle("index.ts")).href)) };
