/** Runs a program of this project by its TypeScript file: `node toolchain/program/run.js cli/main.ts ARGUMENTS`. */
import { loadProgram } from "./fresh-bundle.js";

// Removes the entry, so that the program finds its own arguments where it expects them.
const [entry] = process.argv.splice(2, 1);
await loadProgram(entry);
