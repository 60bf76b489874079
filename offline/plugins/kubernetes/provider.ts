import { notCovered, type ProviderDefinition } from "../protocol/resource-type.ts";
import { Cluster } from "./cluster.ts";
import { kinds } from "./kinds.ts";
import { objectType } from "./object-type.ts";
import { checkSettings, diffSettings, parseSettings } from "./settings.ts";

/** Serves the kinds of pulumi-kubernetes 4.34.2 that this project uses. */
export function kubernetesProvider(): ProviderDefinition {
  let cluster = new Cluster(parseSettings({}));
  return {
    name: "kubernetes",
    version: "4.34.2",
    checkConfig: (settings) => ({ inputs: settings, failures: checkSettings(settings) }),
    diffConfig: diffSettings,
    configure(settings) {
      cluster = new Cluster(parseSettings(settings));
    },
    resourceType(type) {
      const kind = kinds.get(type);
      if (kind === undefined) throw new Error(notCovered("kubernetes", `resource type ${type}`));
      return objectType(kind, cluster);
    },
  };
}
