import * as z from "zod";
import { podNetworks, type PodNetworkName } from "../../components/cni/pod-networks.ts";

type Definitions = typeof podNetworks;

type OwnSettings = {
  [
    Name in PodNetworkName as Definitions[Name]["settings"] extends z.ZodType ? Name : never
  ]: Definitions[Name]["settings"];
};

const definitions = Object.entries(podNetworks);

const ownSettings = Object.fromEntries(
  definitions.flatMap(([name, { title, settings }]) =>
    settings === undefined
      ? []
      : [[name, settings.meta({ description: `${title}; only if \`kind\` is \`${name}\`.` })]],
  ),
) as OwnSettings;

const names = Object.keys(podNetworks) as PodNetworkName[];
const choices = definitions.map(([name, { choice }]) => `\`${name}\` (${choice})`);

export const cni = z.strictObject({
  kind: z
    .enum(names)
    .default("calico")
    .meta({
      description: `Pod network: ${choices.join(", ")}. Changing it replaces the cluster.`,
    }),
  ...ownSettings,
});
