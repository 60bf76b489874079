/**
 * Host action: applies Calico's CustomResourceDefinitions and waits until the API server serves all of them.
 * `./kindows prepare` has downloaded them before; the npm package downloads them here.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseAllDocuments } from "yaml";
import * as z from "zod";

import { builtSoFar } from "../../../toolchain/built.ts";
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { runAction, say, text } from "../../host-action/run-action.ts";
import { isPackage } from "../../own-files.ts";
import type { CalicoRelease } from "../calico/release.ts";

export const environment = {
  KUBECONFIG_CONTENT: text,
  CALICO: z.strictObject({
    calico: z.string(),
    operator: z.string(),
    definitionsSha256: z.string(),
  }),
};

const definitionSchema = z.object({ metadata: z.object({ name: z.string() }) });

/** Longest wait until the API server serves the applied definitions, in seconds. */
const servedTimeoutSeconds = 60;

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

interface Definition {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

await runAction(environment, async ({ KUBECONFIG_CONTENT, CALICO: release }) => {
  const api = new ClusterApi(KUBECONFIG_CONTENT, 60);
  const names: string[] = [];
  for (const document of parseAllDocuments(await definitionsText(release))) {
    const definition: unknown = document.toJS();
    const { name } = definitionSchema.parse(definition).metadata;
    await api.apply(`${definitionsPath}/${name}`, definition as object);
    names.push(name);
  }
  say(`${names.length} definitions of Calico ${release.calico} applied`);
  await waitUntil(
    {
      what: "the API server to serve Calico's resources",
      timeoutSeconds: servedTimeoutSeconds,
      onChange: say,
    },
    async () => {
      const { items } = await api.get<{ items: readonly Definition[] }>(definitionsPath);
      const missing = names.flatMap((name) => notServed(name, items));
      return missing.length === 0 ? undefined : missing.join("; ");
    },
  );
});

/** @throws if the definitions were not prepared, or if their checksum is not the release's. */
async function definitionsText(release: CalicoRelease): Promise<string> {
  const { definitionsSha256: sha256 } = release;
  const file = isPackage ? await download(release) : builtSoFar().calicoDefinitions?.[sha256];
  if (file === undefined) {
    throw new Error(
      "the definitions of Calico's resources are not prepared: run `./kindows prepare --stack <name>`",
    );
  }
  const text = await readFile(file, "utf8");
  if (createHash("sha256").update(text).digest("hex") !== sha256) {
    throw new Error(`${file} is not what was prepared: run \`./kindows prepare --stack <name>\``);
  }
  return text;
}

async function download(release: CalicoRelease): Promise<string> {
  const [{ calicoDefinitions, definitionsName }, { ensureArtifacts }] = await Promise.all([
    import("../calico/definitions-artifact.ts"),
    import("../../../toolchain/ensure.ts"),
  ]);
  const definitions = calicoDefinitions(release);
  const ensured = await ensureArtifacts([definitions], { progress: say });
  return path.join(ensured.path(definitions), definitionsName);
}

function notServed(name: string, all: readonly Definition[]): string[] {
  const conditions = all.find(({ metadata }) => metadata.name === name)?.status?.conditions ?? [];
  if (conditions.some(({ type, status }) => type === "Established" && status === "True")) return [];
  const refused = conditions.find(
    ({ type, status }) => type === "NamesAccepted" && status === "False",
  );
  return [refused?.message === undefined ? name : `${name} (${refused.message})`];
}
