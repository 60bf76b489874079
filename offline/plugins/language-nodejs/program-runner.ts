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
import type { PropertyMap } from "../protocol/property-value.ts";

/** Exit code of a program that has reported its error itself (@pulumi/pulumi, cmd/run/index.js). */
const ERROR_REPORTED = 32;

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

  /** Runs an engine plugin from a folder with its sources, and passes on its output, until either side ends it. */
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
    const answer = (): RunPluginResponse => new language.RunPluginResponse();
    child.stdout.on("data", (data: Buffer) => call.write(answer().setStdout(data)));
    child.stderr.on("data", (data: Buffer) => call.write(answer().setStderr(data)));
    call.on("cancelled", () => child.kill("SIGTERM"));
    child.once("error", (error) => call.emit("error", error));
    child.once("close", (code) => {
      this.#children.delete(child);
      call.write(answer().setExitcode(code ?? 1));
      call.end();
    });
  }

  cancel(): void {
    for (const child of this.#children) {
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_SECONDS * 1000).unref();
    }
  }
}

/** The SDK's own start module, from the program's SDK so that their versions match. */
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
      if (code === ERROR_REPORTED) response.setBail(true);
      else if (signal !== null) response.setError(`the program was ended by ${signal}`);
      else if (code !== 0) response.setError(`the program exited with code ${String(code)}`);
      resolve(response);
    });
  });
}

/**
 * Runs in the program's process before the program, and prints errors without colours. Node.js 22.12 loops endlessly
 * when it colours a stack line with a file directly below a scope, as in `node_modules/@pulumi/resource.ts` (node,
 * lib/internal/ util/inspect.js, markNodeModules). The SDK's source maps produce such lines, so a program that throws
 * would hang.
 */
const PATCH = `
import util from "node:util";
import { syncBuiltinESMExports } from "node:module";
const { inspect } = util;
util.inspect = Object.assign(
  (value, options, ...rest) =>
    value instanceof Error && options?.colors === true
      ? inspect(value, { ...options, colors: false })
      : inspect(value, options, ...rest),
  inspect,
);
syncBuiltinESMExports();
`;

const errorsWithoutColors: readonly string[] = [
  "--import",
  `data:text/javascript,${encodeURIComponent(PATCH.trim())}`,
];

/** The `runtime.options` of Pulumi.yaml that this host supports. */
interface RuntimeOptions {
  /** Whether the SDK loads ts-node for the program; default true. Off for programs that bring their own loader. */
  readonly typescript: boolean;
  /** The tsconfig.json for ts-node, relative to the program. */
  readonly tsconfig: string | undefined;
  /** Arguments for Node.js itself, e.g. `--import tsx`. */
  readonly nodeargs: readonly string[];
}

/** Options that only matter to `pulumi install` and `pulumi package add`. */
const OTHER_OPTIONS: ReadonlySet<string> = new Set(["packagemanager", "production"]);

/** Reads runtime options. @throws on an option that this host does not support. */
export function parseRuntimeOptions(options: PropertyMap): RuntimeOptions {
  let typescript = true;
  let tsconfig: string | undefined;
  let nodeargs: string[] = [];
  for (const [name, value] of Object.entries(options)) {
    if (name === "typescript" && typeof value === "boolean") typescript = value;
    else if (name === "tsconfig" && typeof value === "string") tsconfig = value;
    else if (name === "nodeargs" && typeof value === "string") nodeargs = splitArguments(value);
    else if (!OTHER_OPTIONS.has(name)) {
      throw new Error(
        `runtime option ${name} with value ${JSON.stringify(value)} is not supported by the bundled Node.js ` +
          `language host (supported: typescript, tsconfig, nodeargs); see runtime.options in Pulumi.yaml`,
      );
    }
  }
  return { typescript, tsconfig, nodeargs };
}

/** Splits like a shell does, with single and double quotes. */
function splitArguments(text: string): string[] {
  return [...text.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"),
  );
}

/** Command line for Node.js, from its own arguments to those of the program. */
export function runArguments(
  request: RunRequest,
  options: RuntimeOptions,
  runModule: string,
  engine: string,
): string[] {
  const info = request.getInfo();
  const args = [
    ...errorsWithoutColors,
    ...options.nodeargs,
    runModule,
    ...flag("monitor", request.getMonitorAddress()),
    ...flag("engine", engine),
    ...flag("organization", request.getOrganization()),
    ...flag("project", request.getProject()),
    ...flag("root-directory", info?.getRootDirectory() ?? ""),
    ...flag("stack", request.getStack()),
    ...flag("pwd", request.getPwd()),
    ...flag("parallel", String(request.getParallel())),
  ];
  if (request.getDryrun()) args.push("--dry-run");
  const entry = info?.getEntryPoint() ?? request.getProgram();
  return [...args, entry === "" ? "." : entry, ...request.getArgsList()];
}

function flag(name: string, value: string): string[] {
  return value === "" ? [] : [`--${name}`, value];
}

/** Environment of the program: that of this host, with the stack's configuration. */
export function runEnvironment(
  request: RunRequest,
  options: RuntimeOptions,
  inherited: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const config = Object.fromEntries(request.getConfigMap().toArray());
  const { typescript, tsconfig } = options;
  return {
    ...inherited,
    PULUMI_CONFIG: JSON.stringify(config),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    PULUMI_NODEJS_TYPESCRIPT: String(typescript),
    ...(tsconfig !== undefined && { PULUMI_NODEJS_TSCONFIG_PATH: tsconfig }),
  };
}
