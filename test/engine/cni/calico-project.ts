import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { CalicoRelease } from "../../../components/cni/calico/release.ts";
import { builtArtifacts } from "../../../toolchain/built.ts";
import type { EngineProject } from "../plugins/support/engine.ts";
import { sourcesProject } from "../plugins/support/sources-project.ts";

/** What a program may vary. */
export interface Variation {
  readonly release: CalicoRelease;
  readonly mtu?: number;
  readonly felix?: Readonly<Record<string, string | number | boolean>>;
}

/** A project with this project's sources, for programs with Calico in them; the cluster is the file `kubeconfig`. */
export async function calicoProject(releases: readonly CalicoRelease[]): Promise<EngineProject> {
  const project = await sourcesProject();
  await mkdir(path.join(project.folder, ".kindows"), { recursive: true });
  const prepared = Object.values(builtArtifacts().calicoDefinitions ?? {})[0];
  if (prepared === undefined) throw new Error("Calico's definitions are not prepared");
  const calicoDefinitions = Object.fromEntries(
    releases.map(({ definitionsSha256 }) => [definitionsSha256, prepared]),
  );
  await project.write(".kindows/artifacts.json", JSON.stringify({ tools: {}, calicoDefinitions }));
  return project;
}

/** A program with Calico in a cluster that is there. */
export function calicoProgram({ release, mtu, felix = {} }: Variation): string {
  return `
  import { readFileSync } from "node:fs";
  import * as pulumi from "@pulumi/pulumi";
  import { local } from "@pulumi/command";
  import { Provider } from "@pulumi/kubernetes/provider.js";
  import { Calico } from "./components/cni/calico/calico.ts";

  const kubeconfig = pulumi.secret(readFileSync("kubeconfig", "utf8"));
  const controlPlane = {
    kubeconfig,
    provider: new Provider("cluster", {
      kubeconfig, clusterIdentifier: "test", upsertExistingObjects: true,
    }),
    resource: new local.Command("control-plane", { create: "true" }),
    podCidr: "10.244.0.0/16",
    serviceCidr: "10.96.0.0/16",
  };
  const calico = new Calico("calico", {
    controlPlane,
    release: ${JSON.stringify(release)},
    network: {
      encapsulation: "VXLAN", bgp: "Disabled", windows: true,
      mtu: ${mtu === undefined ? "undefined" : String(mtu)},
    },
    configuration: { felix: ${JSON.stringify(felix)} },
    timeouts: { operatorSeconds: 240, rolloutSeconds: 240 },
  });
  calico.awaitOnWindows([]);
`;
}
