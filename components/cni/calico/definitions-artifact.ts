import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { programOutput } from "../../../host/run-program.ts";
import type { Artifact, BuildContext, Progress } from "../../../toolchain/artifact.ts";
import { DownloadError } from "../../../toolchain/download.ts";
import { fetchPublished, type PublishedFile } from "../../../toolchain/publisher.ts";
import { goEnvironment } from "../../../toolchain/tools/go-build.ts";
import { ensureGo, requireReachable } from "../../../toolchain/tools/go-toolchain.ts";
import { hashSources } from "../../../toolchain/tools/sources-hash.ts";
import { insideOf } from "../../../toolchain/inside.ts";
import { zipMembers } from "../../../toolchain/zip-member.ts";
import type { CalicoRelease } from "./release.ts";

export const definitionsName = "definitions.yaml";

const moduleFolder = fileURLToPath(new URL("../../../offline/modules/calico", import.meta.url));
const operatorModule = "github.com/tigera/operator";
const fetchTimeoutSeconds = 600;

/**
 * Folders and names of the definitions that the operator itself would install (its pkg/imports/crds/crds.go). The
 * others belong to Calico Enterprise.
 */
const sources: readonly { readonly folder: string; readonly wanted: RegExp }[] = [
  { folder: "calico/v1.crd.projectcalico.org", wanted: /\.yaml$/ },
  { folder: "calico/policy.networking.k8s.io", wanted: /\.yaml$/ },
  {
    folder: "operator",
    wanted:
      /(installation|apiserver|gatewayapi|imageset|tigerastatus|whisker|goldmane|managementclusterconnection|istio)/,
  },
];

/** The operator's Go module on Go's module mirror. */
export function operatorArchive({ operator }: Pick<CalicoRelease, "operator">): PublishedFile {
  return { url: `https://proxy.golang.org/${operatorModule}/@v/v${operator}.zip` };
}

/**
 * The definitions of Calico's and its operator's resources as one file, taken from the operator's Go module.
 *
 * A downloaded module is checked against the lock file, one that Go fetches against `go.sum`. The resulting file is
 * checked against the release's checksum.
 */
export function calicoDefinitions(release: CalicoRelease): Artifact {
  return {
    name: "calico-definitions",
    needs: [],
    hostPackages: ["curl"],
    check: () => requireReachable([operatorArchive(release).url], "calico-definitions"),
    inputs: async () => ({
      module: await hashSources(moduleFolder, [moduleFolder]),
      sha256: release.definitionsSha256,
    }),
    build: async (into, context) => {
      const work = path.join(into, "work");
      await mkdir(work);
      const text = await readDefinitions(await operatorSources(release, work, context));
      await rm(work, { recursive: true });
      const sha256 = createHash("sha256").update(text).digest("hex");
      if (sha256 !== release.definitionsSha256) {
        throw new Error(
          `the definitions of Calico ${release.calico} have the SHA-256 ${sha256}, not the pinned ` +
            `${release.definitionsSha256}: check what changed, then correct components/cni/calico/release.ts`,
        );
      }
      await writeFile(path.join(into, definitionsName), text);
    },
  };
}

/** Concatenates the definitions in a folder with the operator's sources, in a fixed order. */
export async function readDefinitions(operator: string): Promise<string> {
  const texts: string[] = [];
  for (const { folder, wanted } of sources) {
    const absolute = path.join(operator, "pkg", "imports", "crds", folder);
    for (const name of (await readdir(absolute)).filter((each) => wanted.test(each)).sort()) {
      texts.push(
        (await readFile(path.join(absolute, name), "utf8")).replace(/^---\n/, "").trimEnd(),
      );
    }
  }
  return `${texts.join("\n---\n")}\n`;
}

/** Downloads the definitions among the operator's sources, or fetches all sources with Go. @returns their folder */
async function operatorSources(
  release: CalicoRelease,
  work: string,
  context: BuildContext,
): Promise<string> {
  const archive = path.join(work, "operator.zip");
  try {
    await fetchPublished(operatorArchive(release), archive, context);
  } catch (error) {
    if (error instanceof DownloadError) {
      context.progress(`fetching it with Go, because ${error.message}`);
      return operatorFolder(release.operator, context.progress);
    }
    throw error;
  }
  for (const [name, content] of zipMembers(await readFile(archive))) {
    const [, relative] = /^[^@]+@[^/]+\/(pkg\/imports\/crds\/.+\.yaml)$/.exec(name) ?? [];
    if (relative !== undefined) {
      const file = insideOf(work, relative);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, content());
    }
  }
  return work;
}

/**
 * Fetches the operator's sources with Go. @returns their folder
 *
 * @throws if go.mod pins the operator at another version than the release does.
 */
export async function operatorFolder(
  version: string,
  progress: Progress,
  env = goEnvironment(),
): Promise<string> {
  await ensureGo("calico-definitions", progress);
  const go = (...args: readonly string[]): Promise<string> =>
    programOutput("go", args, fetchTimeoutSeconds, { cwd: moduleFolder, env });
  await go("mod", "download", operatorModule);
  const stdout = await go("list", "-m", "-f", "{{.Version}} {{.Dir}}", operatorModule);
  const [found, folder = ""] = stdout.split(" ");
  if (found !== `v${version}`) {
    throw new Error(
      `offline/modules/calico has the operator ${found}, components/cni/calico/release.ts v${version}: ` +
        `change both together`,
    );
  }
  return folder;
}
