/** Runs a program of this project by its TypeScript file: `node toolchain/program/run.js cli/main.ts ARGUMENTS`. */
import { loadProgram } from "./fresh-bundle.js";

// The program finds its own arguments where any program does.
const [entry] = process.argv.splice(2, 1);
await loadProgram(entry);
