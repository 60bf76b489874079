import * as z from "zod";
import { StepError } from "../step-error.ts";
import type { StepContext } from "../step.ts";
import type { WindowsHost } from "../windows-host.ts";
import { flanneldLogPath } from "./flanneld-service.ts";
import { startServiceInTime } from "./start-service.ts";

export const externalNetwork = "External";
const recordPath = "C:\\kindows\\state\\external-network.json";
const recordSchema = z.object({
  state: z.enum(["none", "running", "done", "failed"]),
  message: z.string(),
  lastBootUpTime: z.string(),
});
/** Seconds that a switch on the adapter cuts the machine off. */
const outageSeconds = 4;
/** Seconds after which a machine whose network has not come back reboots. */
const rescueSeconds = 600;

/** How the making of the network stands in this boot. */
export type ExternalNetworkRecord = Pick<z.output<typeof recordSchema>, "state" | "message">;

export async function getExternalNetworkRecord(host: WindowsHost): Promise<ExternalNetworkRecord> {
  const text = await host.drive.readText(recordPath);
  // What a power cut has left empty, or half written, is of an earlier boot.
  const isWhole = text !== undefined && /^\{.*\}$/.test(text);
  const record = isWhole ? recordSchema.parse(JSON.parse(text)) : undefined;
  return record?.lastBootUpTime === host.lastBootUpTime ? record : { state: "none", message: "" };
}

async function saveRecord(
  host: WindowsHost,
  state: ExternalNetworkRecord["state"],
  message = "",
): Promise<void> {
  const record = { state, message, lastBootUpTime: host.lastBootUpTime };
  await host.drive.write(recordPath, JSON.stringify(record));
}

/** Has the network made outside this session, and closes the SSH port until the machine is back. */
export async function startExternalNetworkTask(
  context: StepContext,
  delaySeconds: number,
  network: string,
): Promise<void> {
  const { host } = context;
  await saveRecord(host, "running");
  host.stopSshd();
  host.startTask(() => initializeExternalNetwork(context, delaySeconds, network));
}

async function initializeExternalNetwork(
  context: StepContext,
  delaySeconds: number,
  network: string,
): Promise<void> {
  const { host } = context;
  await host.pause(delaySeconds);
  if (network !== externalNetwork) {
    try {
      await startFlannelNetwork(context, network);
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      await saveRecord(host, "failed", error.message);
      await host.startSshd();
      return;
    }
  }
  host.cutConnections();
  if (!host.settings.networks().includes(network)) await host.settings.addNetwork(network);
  if (await isAddressLost(host)) {
    await saveRecord(host, "failed", "The address did not come back; the machine has 169.254.7.7.");
    // Nobody reaches it now: the reboot that was scheduled beforehand comes.
    await host.programs.reboot(rescueSeconds);
    return;
  }
  await host.pause(outageSeconds);
  if (network === externalNetwork) await host.settings.setCalicoBootTime(host.lastBootUpTime);
  await saveRecord(host, "done");
  await host.startSshd();
}

/** flanneld makes its network as soon as it runs; from here on it starts with Windows. */
async function startFlannelNetwork(context: StepContext, network: string): Promise<void> {
  const { services } = context.host;
  if (!services.get("flanneld")) {
    throw new StepError("FlannelMissing", `There is no service flanneld for ${network}.`, "");
  }
  await services.change("flanneld", { startType: "auto" });
  await startServiceInTime(context, "flanneld", 180, flanneldLogPath);
}

async function isAddressLost(host: WindowsHost): Promise<boolean> {
  for (const fault of await host.faults.all()) {
    if (fault.kind === "addressLost" && (await host.faults.take(fault))) return true;
  }
  return false;
}
