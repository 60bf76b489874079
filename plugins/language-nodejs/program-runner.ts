import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import type { ServerWritableStream } from "@grpc/grpc-js";
import language from "@pulumi/pulumi/proto/language_pb.js";
import type {
  RunPluginRequest,
  RunPluginResponse,
  RunRequest,
  RunResponse,
} from "@pulumi/pulumi/proto/language_pb.js";
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
    const args = runArguments(request, options, findRunModule(folder, "run"), this.#engine);
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

  /** Runs an engine plugin that is given as a folder with its sources, until it or the engine ends it; passes its output on. */
  runPlugin(call: ServerWritableStream<RunPluginRequest, RunPluginResponse>): void {
    const { request } = call;
    const folder = request.getInfo()?.getProgramDirectory() ?? request.getProgram();
    const environment = request.getEnvList().map((one) => {
      const end = one.indexOf("=");
      return [one.slice(0, end), one.slice(end + 1)] as const;
    });
    const child = spawn(
      process.execPath,
      request.getKind() === "analyzer"
        ? [findRunModule(folder, "run-policy-pack"), ...request.getArgsList(), folder]
        : [findRunModule(folder, "run-plugin"), folder, ...request.getArgsList()],
      {
        cwd: request.getPwd(),
        env: { ...process.env, ...Object.fromEntries(environment) },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    this.#children.add(child);
    const write = (set: (response: RunPluginResponse) => void): void => {
      const response = new language.RunPluginResponse();
      set(response);
      call.write(response);
    };
    child.stdout.on("data", (data: Buffer) => write((response) => response.setStdout(data)));
    child.stderr.on("data", (data: Buffer) => write((response) => response.setStderr(data)));
    call.on("cancelled", () => child.kill("SIGTERM"));
    child.once("error", (error) => call.emit("error", error));
    child.once("close", (code) => {
      this.#children.delete(child);
      write((response) => response.setExitcode(code ?? 1));
      call.end();
    });
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
function findRunModule(folder: string, module: "run" | "run-plugin" | "run-policy-pack"): string {
  try {
    const { resolve } = createRequire(path.resolve(folder, "package.json"));
    return resolve(`@pulumi/pulumi/cmd/${module}`);
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
