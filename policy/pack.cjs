/** Runs pack.ts when the engine loads `--policy-pack policy`. In CommonJS, because the SDK loads it with `require`. */
process.argv.splice(2, 0, "policy/pack.ts");
void import("../toolchain/program/run.js");
