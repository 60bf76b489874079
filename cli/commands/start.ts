import { thisHost } from "../../host/host.ts";
import { settled } from "../doctor/fix.ts";
import { asOnlyRun } from "../engine/run-lock.ts";
import { startDaemons, startStopped } from "../host-resources/stopped.ts";
import { assertNotTheirs } from "../lab/claim.ts";
import { assertNothingForeign } from "../lab/proof.ts";
import { type Part, partsOf } from "../power/turn-off.ts";
import { say } from "../progress.ts";
import { labIdentity } from "../stack-settings.ts";
import { assertUpOnce, partsOfNode, type PowerOptions } from "./stop.ts";

/** Longest wait for Ready nodes, in seconds: a boot of Windows with its pods, on a host without KVM. */
const readySeconds = 1200;

/** `kindows start`: turns on what `stop` has turned off, and waits until its nodes are Ready. */
export async function start({ stack, node }: PowerOptions): Promise<void> {
  const identity = await labIdentity(stack);
  const { lab } = identity;
  const host = thisHost(identity);
  await assertNotTheirs(lab, stack);
  await assertUpOnce(stack);
  await asOnlyRun(stack, async () => {
    await startDaemons(identity.libvirtUri, say);
    await assertNothingForeign(stack, lab, host);
    const all = await partsOf(host, lab);
    const wanted = partsOfNode(all, node, stack);
    const since = new Date();
    const names = new Set(wanted.map(({ resource }) => resource.name));
    await startStopped(lab, host, node === undefined ? "all" : names, say);
    if (node !== undefined && !hasControlPlane(all, wanted)) {
      say(`the control plane is off, so nobody can tell whether ${node} is Ready`);
      return;
    }
    await settled({ stack, lab, host }, since, readySeconds, node);
  });
  say(`${node ?? `the lab ${lab}`} is on`);
}

function hasControlPlane(all: readonly Part[], started: readonly Part[]): boolean {
  return all.some(
    (part) =>
      "role" in part.resource &&
      part.resource.role === "control-plane" &&
      (part.isRunning || started.includes(part)),
  );
}
