import { addressNumber } from "../../../config/ipv4.ts";
import type { LabObjects, Seen } from "./lab-watch.ts";
import { interfaceName } from "./objects.ts";

/**
 * Returns the address of a machine that runs, or a description of its state in the cluster's words.
 *
 * @param address the address in the settings, which overrides the one in the status.
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
      ? `it runs on ${instance.status.nodeName ?? "a node"}, but its status shows no address: the image has no QEMU guest agent (which reports it on a Multus network), or the network gives it none. If it has one, write it as address of the node in kindows:machine.nodes`
      : { found: { address: found } };
  }
  const seen = [
    ...stateOf("instance", instance),
    ...(instance === undefined ? stateOf("machine", machines.get(name)) : []),
    ...stateOf("disk", volumes.get(name)),
  ];
  return seen.length === 0 ? "there is no machine" : seen.join("; ");
}

/** The same for the image that machines are cloned from. */
export function imageState(
  { volumes }: LabObjects,
  name: string,
): string | { readonly found: true } {
  const volume = volumes.get(name);
  return volume?.status?.phase === "Succeeded"
    ? { found: true }
    : (stateOf("image", volume)[0] ?? "there is no DataVolume");
}

/** IPv4 address of the machine on its network; undefined if it has none, or only a link-local one. */
export function addressOf({ status }: Seen): string | undefined {
  const shown = status?.interfaces?.find(({ name }) => name === interfaceName);
  return [shown?.ipAddress ?? "", ...(shown?.ipAddresses ?? [])].find(
    (each) => addressNumber(each) !== undefined && !each.startsWith("169.254."),
  );
}

/** The status in which each of these conditions means a problem. */
const problemStatus: Readonly<Record<string, string>> = {
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
  const problems = conditions
    .filter(({ type, status, message }) => problemStatus[type] === status && message)
    .map(({ reason, message = "" }) => `${reason ? `${reason}: ` : ""}${message}`);
  return [
    `its ${what} is ${state}${done}${problems.length === 0 ? "" : `: ${problems.join("; ")}`}`,
  ];
}
