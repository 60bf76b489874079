import { DockerEngine } from "../../host/docker-engine.ts";
import { checkProperties, type Properties } from "../protocol/property-shape.ts";
import { diffSettings, ownSettings } from "../protocol/provider-settings.ts";
import { scalarText } from "../protocol/property-value.ts";
import { NotCovered, type ProviderDefinition } from "../protocol/resource-type.ts";
import { networkType } from "./network.ts";

const notCovered = { shape: { kind: "notCovered" } } as const;

const settingProperties: Properties = {
  host: { shape: { kind: "string" } },
  // The engine is asked when it is needed and not before, so there is no check to switch off.
  disableDockerDaemonCheck: { shape: { kind: "any" } },
  caMaterial: notCovered,
  certMaterial: notCovered,
  certPath: notCovered,
  context: notCovered,
  keyMaterial: notCovered,
  registryAuth: notCovered,
  sshOpts: notCovered,
};

const DEFAULT_HOST = "unix:///var/run/docker.sock";

/** Serves the resource types of pulumi-docker 5.2.0 that this project uses, on the Docker engine at `host`. */
export function dockerProvider(): ProviderDefinition {
  let api = engineAt(DEFAULT_HOST);
  const network = networkType(() => api);
  return {
    name: "docker",
    version: "5.2.0",
    checkConfig(settings) {
      const { failures } = checkProperties("docker", settingProperties, ownSettings(settings));
      return { inputs: settings, failures };
    },
    diffConfig: (olds, news) => diffSettings(olds, news, []),
    configure(settings) {
      const host = scalarText(settings["host"]) ?? process.env["DOCKER_HOST"] ?? "";
      api = engineAt(host === "" ? DEFAULT_HOST : host);
    },
    resourceType(type) {
      if (type === "docker:index/network:Network") return network;
      throw new NotCovered("docker", `resource type ${type}`);
    },
  };
}

function engineAt(host: string): DockerEngine {
  return new DockerEngine(
    host,
    (why) =>
      `cannot reach Docker at ${host}: ${why} (is the Docker engine running, and is the provider's host or DOCKER_HOST right?)`,
  );
}
