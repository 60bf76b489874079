import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import language from "@pulumi/pulumi/proto/language_pb.js";
import type { RunRequest, RunResponse } from "@pulumi/pulumi/proto/language_pb.js";
import { beforeExit } from "../protocol/plugin-server.ts";
import { fromStruct } from "../protocol/struct.ts";
import { parseRuntimeOptions, runArguments, runEnvironment } from "./run-arguments.ts";

/** Exit code of a program that has reported its error itself (@pulumi/pulumi, cmd/run/index.js). */
const USER_KNOWS_ALREADY = 32;

/** How long a program may take to end after it was asked to. */
const KILL_AFTER_SECONDS = 2;

/** Runs programs as child processes and ends them when the host ends. */
export class ProgramRunner {
  readonly #engine: string;
  readonly #children = new Set<ChildProcess>();

  constructor(engine: string) {
    this.#engine = engine;
    beforeExit(() => {
      for (const child of this.#children) child.kill("SIGKILL");
    });
  }

  async run(request: RunRequest): Promise<RunResponse> {
    const folder = request.getInfo()?.getProgramDirectory() ?? request.getPwd();
    const options = parseRuntimeOptions(fromStruct(request.getInfo()?.getOptions()));
    const args = runArguments(request, options, findRunModule(folder), this.#engine);
    const child = spawn(process.execPath, args, {
      cwd: request.getPwd(),
      env: runEnvironment(request, options, process.env),
      stdio: ["ignore", "inherit", "inherit"],
    });
    this.#children.add(child);
    try {
      return await outcome(child);
    } finally {
      this.#children.delete(child);
    }
  }

  /** Asks running programs to end, and makes them. */
  cancel(): void {
    for (const child of this.#children) {
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_SECONDS * 1000).unref();
    }
  }
}

/** The SDK's own start module, taken from the program's SDK so that the two fit. */
function findRunModule(folder: string): string {
  try {
    return createRequire(path.resolve(folder, "package.json")).resolve("@pulumi/pulumi/cmd/run");
  } catch (error) {
    throw new Error(`@pulumi/pulumi is not installed in ${folder}; run: npm ci`, { cause: error });
  }
}

function outcome(child: ChildProcess): Promise<RunResponse> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => {
      reject(new Error(`Node.js could not be started: ${error.message}`));
    });
    child.once("exit", (code, signal) => {
      const response = new language.RunResponse();
      if (code === USER_KNOWS_ALREADY) response.setBail(true);
      else if (signal !== null) response.setError(`the program was ended by ${signal}`);
      else if (code !== 0) response.setError(`the program exited with code ${String(code)}`);
      resolve(response);
    });
  });
}
