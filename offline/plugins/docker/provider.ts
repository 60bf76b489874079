import { defaultDockerHost } from "../../../host/docker-engine.ts";
import { diffProperties } from "../protocol/property-diff.ts";
import { checkProperties, type Properties } from "../protocol/property-shape.ts";
import { omit, type PropertyMap, scalarText } from "../protocol/property-value.ts";
import { engineSettings, notCovered, type ProviderDefinition } from "../protocol/resource-type.ts";
import { networkType } from "./network.ts";

const any = { shape: { kind: "any" } } as const;
const uncovered = { shape: { kind: "notCovered" } } as const;

const settingProperties: Properties = {
  host: { shape: { kind: "string" } },
  // Docker is asked only when something is done, so there is no check to turn off.
  disableDockerDaemonCheck: any,
  caMaterial: uncovered,
  certMaterial: uncovered,
  certPath: uncovered,
  context: uncovered,
  keyMaterial: uncovered,
  registryAuth: uncovered,
  sshOpts: uncovered,
};

const own = (settings: PropertyMap): PropertyMap => omit(settings, ...engineSettings);

/** Serves `docker.Network` of pulumi-docker 5.2.0, on the Docker engine of this host. */
export function dockerProvider(): ProviderDefinition {
  let host = defaultDockerHost;
  const network = networkType(() => host);
  return {
    name: "docker",
    version: "5.2.0",
    checkConfig(settings) {
      const { failures } = checkProperties("docker", settingProperties, own(settings));
      const other = scalarText(settings["host"])?.startsWith("unix://") === false;
      const refusal = {
        property: "host",
        reason: notCovered("docker", "a host that is no socket"),
      };
      return { inputs: settings, failures: other ? [...failures, refusal] : failures };
    },
    diffConfig: (olds, news) => ({
      changes: diffProperties(own(olds), own(news)).map((each) => ({ ...each, replaces: false })),
      deleteBeforeReplace: false,
    }),
    configure(settings) {
      host = (scalarText(settings["host"]) ?? process.env["DOCKER_HOST"]) || defaultDockerHost;
    },
    resourceType(type) {
      if (type === "docker:index/network:Network") return network;
      throw new Error(notCovered("docker", `resource type ${type}`));
    },
  };
}
