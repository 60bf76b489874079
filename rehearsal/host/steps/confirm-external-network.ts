import { type StepContext, StepError, type StepOutcome } from "../step.ts";
import {
  externalNetwork,
  getExternalNetworkRecord,
  startExternalNetworkTask,
} from "./external-network.ts";

/** Looks at what Add-ExternalNetwork has ordered; a model that answers has its address. */
export async function confirmExternalNetwork(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  const address = parameters.text("Address");
  const deadline = Date.now() + host.milliseconds(240);
  let record = await getExternalNetworkRecord(host);
  while (record.state === "running" && Date.now() < deadline) {
    await host.pause(2);
    record = await getExternalNetworkRecord(host);
  }
  await context.checkpoint();
  if (!host.networks().includes(externalNetwork)) {
    await startExternalNetworkTask(host, parameters.integer("DelaySeconds"));
    throw new StepError(
      "NetworkNotReady",
      `The HNS network External is not there (${record.state}). ${record.message}`,
      "It is being made once more; run again in a minute. If it stays, see the event log of HNS.",
    );
  }
  return { changed: false, facts: { network: externalNetwork, address } };
}
