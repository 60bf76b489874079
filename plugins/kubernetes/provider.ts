import { isDeepStrictEqual } from "node:util";
import { isUnknown, type PropertyMap, scalarText, unwrap } from "../protocol/property-value.ts";
import { diffSettings } from "../protocol/provider-settings.ts";
import { type Difference, NotCovered, type ProviderDefinition } from "../protocol/resource-type.ts";
import { Cluster } from "./cluster.ts";
import { kindOf } from "./kinds.ts";
import { activeCluster } from "./kubeconfig-file.ts";
import { objectType } from "./object-type.ts";
import { checkSettings, parseSettings } from "./settings.ts";

/** Serves the kinds of pulumi-kubernetes 4.34.2 that this project uses. */
export function kubernetesProvider(): ProviderDefinition {
  let cluster = new Cluster(parseSettings({}, process.env));
  return {
    name: "kubernetes",
    version: "4.34.2",
    checkConfig: (settings) => ({ inputs: settings, failures: checkSettings(settings) }),
    diffConfig: diffClusters,
    configure(settings) {
      cluster = new Cluster(parseSettings(settings, process.env));
    },
    resourceType(type) {
      const kind = kindOf(type);
      if (kind === undefined) throw new NotCovered("kubernetes", `resource type ${type}`);
      return objectType(kind, cluster);
    },
  };
}

/**
 * Another cluster replaces the provider, and with it all objects. Clusters are told apart by `clusterIdentifier`
 * where it is set, and else by what the kubeconfig says of the cluster; a kubeconfig that is not known yet counts as
 * another cluster then.
 */
export function diffClusters(olds: PropertyMap, news: PropertyMap): Difference {
  const everything = [...Object.keys(olds), ...Object.keys(news)];
  const identifier = scalarText(news["clusterIdentifier"]);
  const before = scalarText(olds["clusterIdentifier"]);
  if (identifier !== undefined || before !== undefined) {
    return diffSettings(olds, news, identifier === before ? [] : everything);
  }
  if (isUnknown(unwrap(news["kubeconfig"]))) return diffSettings(olds, news, ["kubeconfig"]);
  const same = isDeepStrictEqual(
    activeCluster(parseSettings(olds, {})),
    activeCluster(parseSettings(news, {})),
  );
  return diffSettings(olds, news, same ? [] : everything);
}
