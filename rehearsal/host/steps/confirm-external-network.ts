import type { StepContext, StepOutcome } from "../step.ts";
import { StepError } from "../step-error.ts";
import { getExternalNetworkRecord, startExternalNetworkTask } from "./external-network.ts";

/** Looks at what Add-ExternalNetwork has ordered; a model that answers has its address. */
export async function confirmExternalNetwork(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  const address = parameters.text("Address");
  const network = parameters.text("Network");
  const deadline = Date.now() + host.milliseconds(240);
  let record = await getExternalNetworkRecord(host);
  while (record.state === "running" && Date.now() < deadline) {
    await host.pause(2);
    record = await getExternalNetworkRecord(host);
  }
  await context.checkpoint();
  if (!host.settings.networks().includes(network)) {
    await startExternalNetworkTask(context, parameters.integer("DelaySeconds"), network);
    throw new StepError(
      "NetworkNotReady",
      `The HNS network ${network} is not there (${record.state}). ${record.message}`,
      "It is being made once more; run again in a minute. If it stays, see the event log of HNS, and flanneld.log for Flannel.",
    );
  }
  return { changed: false, facts: { network, address } };
}
