import { randomUUID } from "node:crypto";
import fs, { type PathOrFileDescriptor } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import * as runtime from "@pulumi/pulumi/runtime/index.js";
import * as state from "@pulumi/pulumi/runtime/state.js";
import { parse } from "yaml";
import { type Previewed, readPreview } from "../../../policy/previewed.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { type JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb.js";
import { RecordingMonitor } from "./recording-monitor.ts";

export type Sections = Readonly<Record<string, unknown>>;

/** Differences of a recording from the committed stack, for which nothing is prepared or running. */
export interface Variation {
  /** Sections of the settings, or parts of them. */
  readonly settings?: Sections;
  /** Contents of files, by their path in the project. */
  readonly files?: Readonly<Record<string, string>>;
  /** Variables of the environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What is running: the same, or another recording. */
  readonly up?: "itself" | Recording;
}

/** The resources that a stack's program requests, as in the engine's preview. */
export interface Recording extends Previewed {
  /** As the engine prints it, by URN. */
  readonly steps: RecordingMonitor["steps"];
  readonly outputs: RecordingMonitor["outputs"];
}

/** Parts of the SDK that its types lack. */
const { withLocalStorage, getStore } = state as unknown as {
  readonly withLocalStorage: (callback: () => Promise<void>) => Promise<void>;
  readonly getStore: () => { settings: { options: object }; callbacks: object };
};
const { waitForRPCs } = runtime as unknown as { readonly waitForRPCs: () => Promise<void> };

const severities = ["debug", "info", "warning", "error"];

/** Environment of a clone that has prepared and fetched nothing. */
const nothingPrepared = {
  ".kindows/artifacts.json": '{ "tools": {} }',
  "software.lock.json": "{}",
};

/**
 * Runs index.ts in this process, with a monitor that only records in place of the engine's.
 *
 * One at a time, because recordings change the process's files and environment.
 *
 * @throws what the program throws or reports as an error.
 */
export async function recordedStack(stack: string, variation: Variation = {}): Promise<Recording> {
  const { settings, up, files, environment } = variation;
  const monitor =
    typeof up === "object"
      ? new RecordingMonitor(stack, up.steps, stackOutputs(up))
      : new RecordingMonitor(stack, up);
  const diagnostics: { readonly severity: string | undefined; readonly message: string }[] = [];
  const engine = {
    setRootResource: (_: unknown, done: () => void) => done(),
    log(request: { getSeverity(): number; getMessage(): string }, done: () => void): void {
      const severity = severities[request.getSeverity()];
      if (severity !== "debug") diagnostics.push({ severity, message: request.getMessage() });
      done();
    },
  };
  const config = Object.entries(settingsOf(stack, settings)).map(([key, value]) => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  // Another address each time, also if this module was loaded twice: a module that was loaded does not run again.
  const program = `${pathToFileURL(path.join(projectRoot, "index.ts")).href}?${randomUUID()}`;
  const restore = [
    replaced(process.env, { KINDOWS_PREVIEW: "anywhere", ...environment }),
    withFiles({ ...nothingPrepared, ...files }),
  ];
  // A failed output rejects outside of the program's own flow, which would wait for it.
  const failed = new Promise<never>((_, reject) => {
    process.on("unhandledRejection", reject);
    restore.push(() => void process.off("unhandledRejection", reject));
  });
  try {
    const ended = withLocalStorage(async () => {
      const store = getStore();
      Object.assign(store.settings, { monitor, engine });
      const identity = { organization: "organization", project: "kindows", stack };
      Object.assign(store.settings.options, { ...identity, dryRun: true });
      // Only an engine calls hooks.
      store.callbacks = {
        awaitStackRegistrations: () => Promise.resolve(),
        registerResourceHook: () => Promise.resolve(),
      };
      runtime.setAllConfig(Object.fromEntries(config) as Record<string, string>);
      await runtime.runInPulumiStack(async () => ({ ...((await import(program)) as object) }));
      await waitForRPCs();
    });
    await Promise.race([ended, failed]);
  } finally {
    for (const each of restore) each();
  }
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
  const { steps, outputs } = monitor;
  const json = JSON.stringify({ steps: [...steps.values()], diagnostics });
  return { ...readPreview(json, projectRoot), steps, outputs };
}

/** The stack's outputs. */
export function stackOutputs({ outputs }: Recording): Readonly<Record<string, JavaScriptValue>> {
  return [...outputs].find(([urn]) => urn.includes("::pulumi:pulumi:Stack::"))?.[1] ?? {};
}

/** The committed settings of a stack, by their whole keys, with these sections changed. */
export function settingsOf(stack: string, settings: Sections = {}): Sections {
  const written = fs.readFileSync(path.join(projectRoot, `Pulumi.${stack}.yaml`), "utf8");
  const { config } = parse(written) as { config: Sections };
  const others = Object.entries(settings).map(([name, section]) => [`kindows:${name}`, section]);
  return merged(config, Object.fromEntries(others) as Sections);
}

/** Merges objects key by key; other values are replaced. */
export function merged(old: Sections, now: Sections): Sections {
  const isObject = (value: unknown): value is Sections =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const both = Object.entries(now).map(([key, value]) => {
    const before = old[key];
    return [key, isObject(before) && isObject(value) ? merged(before, value) : value];
  });
  return { ...old, ...(Object.fromEntries(both) as Sections) };
}

/** Makes reads of these files return other content. */
function withFiles(files: Readonly<Record<string, string>>): () => void {
  const contents = new Map(
    Object.entries(files).map(([name, text]) => [path.join(projectRoot, name), text]),
  );
  const { readFileSync } = fs;
  const read = (file: PathOrFileDescriptor, encoding?: BufferEncoding): string | Buffer => {
    const text = typeof file === "string" ? contents.get(path.resolve(file)) : undefined;
    if (text === undefined) return readFileSync(file, { encoding: encoding ?? null });
    return encoding === undefined ? Buffer.from(text) : text;
  };
  const restore = replaced(fs, { readFileSync: read as typeof readFileSync });
  syncBuiltinESMExports();
  return () => {
    restore();
    syncBuiltinESMExports();
  };
}

/** Sets properties. @returns a function that restores them */
function replaced<T extends object>(target: T, values: Partial<T>): () => void {
  const before = Object.keys(values).map((key) => [key, Reflect.get(target, key)] as const);
  Object.assign(target, values);
  return () => {
    for (const [key, value] of before) {
      if (value === undefined) Reflect.deleteProperty(target, key);
      else Reflect.set(target, key, value);
    }
  };
}
