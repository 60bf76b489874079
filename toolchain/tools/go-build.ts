import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import type { BuildContext } from "../artifact.ts";
import { Cache } from "../cache.ts";
import { compilerFolder, type CompilerAddress } from "../compiler-caches.ts";
import { commandRunner } from "../../host/command-runner.ts";
import {
  windowsGorootOverlaySources,
  writeWindowsGorootOverlay,
} from "../windows-goroot-overlay.ts";
import { Slots } from "../slots.ts";
import { ensureGo } from "./go-toolchain.ts";
import { writePatchedModule } from "./patched-module.ts";
import { pageAligned } from "./page-aligned.ts";
import { hashSources } from "./sources-hash.ts";
import type { GoBuild } from "./tool.ts";

/** Longest time one compiler run may take, in seconds: all of Kubernetes on one slow core. */
const buildTimeoutSeconds = 60 * 60;

/** All builds share one module cache and one build cache, so that nothing is written to the user's home. */
export function goEnvironment(address: CompilerAddress = "go"): Readonly<Record<string, string>> {
  const folder = compilerFolder(new Cache(), address);
  const settings = process.env.XDG_CONFIG_HOME ?? path.join(os.homedir(), ".config");
  return {
    // No telemetry in the user's home; the user's own settings (`go env -w`) still apply.
    XDG_CONFIG_HOME: path.join(folder, "config"),
    GOENV: process.env.GOENV ?? path.join(settings, "go", "env"),
    GOMODCACHE: path.join(folder, "mod"),
    GOCACHE: path.join(folder, "build"),
    GOWORK: "off",
    // go.sum is complete, so every module is checked, and it is never changed.
    GOFLAGS: "-mod=readonly -trimpath -buildvcs=false -modcacherw",
    GOTOOLCHAIN: "local",
    GOARCH: "amd64",
    CGO_ENABLED: "0",
  };
}

/**
 * Inputs of the artifact's address. Not the compiler's version, so that an upgrade of Go does not rebuild everything; and
 * not the module's other programs.
 */
export async function goInputs(go: GoBuild): Promise<Readonly<Record<string, string>>> {
  const own = Object.values(go.packages)
    .filter((name) => name.startsWith("."))
    .map((name) => path.join(go.module, name));
  const isSource = (file: string): boolean =>
    /\/go\.(mod|sum)$/.test(file) ||
    (file.endsWith(".go") && own.some((folder) => !path.relative(folder, file).startsWith("..")));
  const forWine = [
    ...windowsGorootOverlaySources,
    path.join(import.meta.dirname, "page-aligned.ts"),
  ];
  return {
    module: await hashSources(go.module, [go.module], isSource),
    sources: await hashSources(import.meta.dirname, go.forWine ? forWine : []),
    build: JSON.stringify([
      go.packages,
      go.variables ?? {},
      go.tags ?? [],
      goos(go),
      go.forWine ?? false,
      ...(go.tests ? ["tests"] : []),
    ]),
    ...(go.patch && { patch: JSON.stringify(go.patch) }),
  };
}

/**
 * The same for programs with compiled packages in common, which two builds at once would both compile. Those for Wine have
 * packages of several modules in common, in the same version where that is possible.
 */
export function sharedPackages(go: GoBuild): string {
  return go.forWine ? goos(go) : JSON.stringify([path.basename(go.module), go.tags ?? []]);
}

function goos({ forWine }: GoBuild): string {
  return forWine ? "windows" : "linux";
}

/** Two builds of this process would otherwise write the same files. */
const overlayWriter = new Slots(1);

export async function buildGo(go: GoBuild, into: string, context: BuildContext): Promise<void> {
  await ensureGo(Object.keys(go.packages).join(", "), context.progress);
  const env = { ...goEnvironment(), GOOS: goos(go) };
  const variables = Object.entries(go.variables ?? {}).map(
    ([name, value]) => `-X ${name}=${value}`,
  );
  // The linker drops what debuggers read, and to make it takes the compiler a seventh of its time.
  const common = ["-gcflags", "all=-dwarf=false", "-ldflags", ["-s -w", ...variables].join(" ")];
  if (go.tags !== undefined) common.push("-tags", go.tags.join(","));
  const folder = compilerFolder(new Cache(), "go");
  const overlay = go.forWine
    ? ["-overlay", await overlayWriter.run(0, () => writeWindowsGorootOverlay(folder, env))]
    : [];
  const work = path.join(into, "patched");
  if (go.patch !== undefined) {
    await mkdir(work);
    common.push("-modfile", await writePatchedModule(go, go.patch, work, env));
  }
  // One command, so that one program is linked while another is compiled. In a folder, each is called as its package.
  const run = commandRunner(context.logFile);
  const executables = Object.keys(go.packages);
  const output = executables.length === 1 ? path.join(into, ...executables) : into;
  const build = go.tests ? ["test", "-c"] : ["build"];
  await run("go", [...build, ...common, ...overlay, "-o", output, ...Object.values(go.packages)], {
    cwd: go.module,
    env,
    timeoutSeconds: buildTimeoutSeconds,
  });
  await rm(work, { recursive: true, force: true });
  if (go.forWine) {
    for (const file of executables.map((name) => path.join(into, name))) {
      await writeFile(file, pageAligned(await readFile(file)));
    }
  }
}
