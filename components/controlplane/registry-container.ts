import * as z from "zod";
import { localRegistry } from "../../config/local-registry.ts";
import { labIdLabel, registryLabel } from "../../config/names.ts";

/** The container of a lab's registry. Its volume has the same name. */
export const registrySchema = z.strictObject({
  name: z.string(),
  /** Prefix of the lab's names. */
  lab: z.string(),
  /** The lab's random id. */
  id: z.string(),
  /** Name of the Docker network. */
  network: z.string(),
  /** IPv4 address in it. */
  address: z.string(),
  image: z.string(),
});

export type RegistryContainer = z.infer<typeof registrySchema>;

const labels = ({ lab, id }: RegistryContainer): string[] => [
  ...["--label", `${registryLabel}=${lab}`, "--label", `${labIdLabel}=${id}`],
];

export function volumeArgs(registry: RegistryContainer): string[] {
  return ["volume", "create", ...labels(registry), registry.name];
}

export function registryRunArgs(registry: RegistryContainer): string[] {
  const { name, network, address, image } = registry;
  return [
    ...["run", "--detach", "--name", name, "--hostname", name, ...labels(registry)],
    // Also after a reboot of this host, unless `kindows stop` has stopped it.
    ...["--restart", "unless-stopped"],
    ...["--network", network, "--ip", address],
    // Pods and nodes need no port of this host, and other computers must not have it.
    ...["--publish", `127.0.0.1:${localRegistry.hostPort}:${localRegistry.containerPort}`],
    ...["--volume", `${name}:/var/lib/registry`],
    // The official image sends traces to a collector, and complains that there is none.
    ...["--env", "OTEL_TRACES_EXPORTER=none"],
    image,
  ];
}

const labelled = z.record(z.string(), z.string()).nullish();

/** The part of `docker inspect <container>` that tells whether a container is the one that is wanted. */
export const inspectedRegistry = z.object({
  State: z.object({ Running: z.boolean() }),
  Config: z.object({ Image: z.string(), Labels: labelled }),
  NetworkSettings: z.object({
    Networks: z.record(
      z.string(),
      z.object({ IPAMConfig: z.object({ IPv4Address: z.string().optional() }).nullish() }),
    ),
  }),
});

export const inspectedVolume = z.object({ Labels: labelled });

/** Whether a container or a volume is of this lab, and not of another that had its name. */
export function isOfLab(found: z.infer<typeof labelled>, { lab, id }: RegistryContainer): boolean {
  return found?.[registryLabel] === lab && found[labIdLabel] === id;
}

export function isAsWanted(
  { Config, NetworkSettings }: z.infer<typeof inspectedRegistry>,
  { image, network, address }: RegistryContainer,
): boolean {
  const asked = NetworkSettings.Networks[network]?.IPAMConfig?.IPv4Address;
  return Config.Image === image && asked === address;
}
