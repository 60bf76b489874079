import { addressNumber } from "../../../config/ipv4.ts";
import type { LabObjects, Seen } from "./lab-watch.ts";
import { interfaceName } from "./objects.ts";

/**
 * Whether a machine runs and has an address; else what there is, in the cluster's own words.
 *
 * @param address of the settings, where its status does not show it.
 */
export function instanceState(
  { machines, instances, volumes }: LabObjects,
  name: string,
  address: string | undefined,
): string | { readonly found: { readonly address: string } } {
  const instance = instances.get(name);
  if (instance?.status?.phase === "Running") {
    const found = address ?? addressOf(instance);
    return found === undefined
      ? `it runs on ${instance.status.nodeName ?? "a node"}, but its status shows no address: the image has no QEMU guest agent (which tells it on a network of Multus), or the network gives it none. Where it has one, write it as address of the node in kindows:machine.nodes`
      : { found: { address: found } };
  }
  const seen = [
    ...stateOf("instance", instance),
    ...(instance === undefined ? stateOf("machine", machines.get(name)) : []),
    ...stateOf("disk", volumes.get(name)),
  ];
  return seen.length === 0 ? "there is no machine" : seen.join("; ");
}

/** The same of the image that machines are clones of. */
export function imageState(
  { volumes }: LabObjects,
  name: string,
): string | { readonly found: true } {
  const volume = volumes.get(name);
  return volume?.status?.phase === "Succeeded"
    ? { found: true }
    : (stateOf("image", volume)[0] ?? "there is no DataVolume");
}

/** IPv4 address of the machine on its network; undefined while there is none, or one that it has given to itself. */
export function addressOf({ status }: Seen): string | undefined {
  const shown = status?.interfaces?.find(({ name }) => name === interfaceName);
  return [shown?.ipAddress ?? "", ...(shown?.ipAddresses ?? [])].find(
    (each) => addressNumber(each) !== undefined && !each.startsWith("169.254."),
  );
}

/** Conditions that say by being false, or true, that something is wrong. */
const troubles: Readonly<Record<string, string>> = {
  Failure: "True",
  PodScheduled: "False",
  Synchronized: "False",
  Running: "False",
  Bound: "False",
  RestartRequired: "True",
};

function stateOf(what: string, object: Seen | undefined): string[] {
  if (object === undefined) return [];
  const { phase, printableStatus, progress, conditions = [] } = object.status ?? {};
  const state = printableStatus ?? phase ?? "new";
  if (what === "disk" && state === "Succeeded") return [];
  const done = progress === undefined || progress === "N/A" ? "" : ` (${progress})`;
  const said = conditions
    .filter(({ type, status, message }) => troubles[type] === status && message)
    .map(({ reason, message = "" }) => `${reason ? `${reason}: ` : ""}${message}`);
  return [`its ${what} is ${state}${done}${said.length === 0 ? "" : `: ${said.join("; ")}`}`];
}
