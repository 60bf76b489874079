import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";

import type { Artifact } from "../../../toolchain/artifact.ts";
import { goEnvironment } from "../../../toolchain/tools/go-build.ts";
import { requireGo } from "../../../toolchain/tools/go-version.ts";
import { hashSources } from "../../../toolchain/tools/sources-hash.ts";
import type { CalicoRelease } from "./release.ts";

/** Name of the file in the artifact's folder. */
export const definitionsName = "definitions.yaml";

const moduleFolder = fileURLToPath(new URL("../../../toolchain/modules/calico", import.meta.url));
const operatorModule = "github.com/tigera/operator";
const fetchTimeoutSeconds = 600;

/** Where the operator keeps what it would itself install (its pkg/imports/crds/crds.go); the others are Enterprise's. */
const sources: readonly { readonly folder: string; readonly wanted: RegExp }[] = [
  { folder: "calico/v1.crd.projectcalico.org", wanted: /\.yaml$/ },
  { folder: "calico/policy.networking.k8s.io", wanted: /\.yaml$/ },
  {
    folder: "operator",
    wanted:
      /(installation|apiserver|gatewayapi|imageset|tigerastatus|whisker|goldmane|managementclusterconnection|istio)/,
  },
];

/**
 * The definitions of Calico's and its operator's resources as one file, out of the operator's own Go module: `go.sum`
 * checks the module, the release's checksum what is taken from it.
 */
export function calicoDefinitions(release: CalicoRelease): Artifact {
  return {
    name: "calico-definitions",
    needs: [],
    hostPackages: [],
    inputs: async () => ({
      module: await hashSources(moduleFolder, [moduleFolder]),
      sha256: release.definitionsSha256,
    }),
    build: async (into) => {
      const text = await readDefinitions(await operatorFolder(release.operator));
      const found = createHash("sha256").update(text).digest("hex");
      if (found !== release.definitionsSha256) {
        throw new Error(
          `the definitions of Calico ${release.calico} have the SHA-256 ${found}, not the pinned ` +
            `${release.definitionsSha256}: correct components/cni/calico/release.ts after a look at what changed`,
        );
      }
      await writeFile(path.join(into, definitionsName), text);
    },
  };
}

/** The definitions in a folder with the operator's sources, one after the other in a fixed order. */
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

/**
 * Folder of the operator's sources.
 *
 * @throws when the module is pinned at another version than the release.
 */
export async function operatorFolder(version: string): Promise<string> {
  await requireGo();
  const options = {
    cwd: moduleFolder,
    env: goEnvironment(),
    timeout: fetchTimeoutSeconds * 1000,
    stdin: "ignore",
  } as const;
  await execa("go", ["mod", "download", operatorModule], options);
  const { stdout } = await execa(
    "go",
    ["list", "-m", "-f", "{{.Version}} {{.Dir}}", operatorModule],
    options,
  );
  const [found, folder = ""] = stdout.split(" ");
  if (found !== `v${version}`) {
    throw new Error(
      `toolchain/modules/calico has the operator ${found}, components/cni/calico/release.ts v${version}: ` +
        `change both together`,
    );
  }
  return folder;
}
