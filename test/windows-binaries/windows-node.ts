import type { V1Node } from "@kubernetes/client-node";
import { assertDone, runStep } from "../unit/rehearsal/machine/step-runner.ts";
import { type TestCluster, waitFor } from "./test-cluster.ts";
import { clusterAddress, clusterName, nodeAddress } from "./test-programs.ts";
import type { WineMachine } from "./wine-machine.ts";

/** Makes the machine a node of the cluster, by the steps of `up`. */
export async function joinNode(cluster: TestCluster, machine: WineMachine): Promise<void> {
  const isOwn = ({ metadata }: V1Node): boolean => metadata?.name === machine.windows.computerName;
  const entry = `${clusterAddress}=${clusterName}`;
  await assertDone(runStep(machine, "Set-HostsEntry", ["-Entry", entry]));
  await assertDone(
    runStep(
      machine,
      "Join-Node",
      [
        ...["-NodeName", machine.windows.computerName, "-ApiServerEndpoint", cluster.endpoint],
        ...["-NodeIp", nodeAddress, "-TimeoutSeconds", "120"],
      ],
      JSON.stringify({ token: await cluster.token(), caCertHashes: [cluster.caCertHash] }),
    ),
  );
  await waitFor("the Node", async () => (await cluster.nodes()).some(isOwn));
}

/** Puts a pod network's HNS network on the machine's adapter, by the steps of `up`. */
export async function addExternalNetwork(machine: WineMachine, name: string): Promise<void> {
  const network = ["-Address", nodeAddress, "-DelaySeconds", "1", "-Network", name];
  await assertDone(runStep(machine, "Add-ExternalNetwork", network), true);
  await machine.windows.tasksEnded();
  await assertDone(runStep(machine, "Confirm-ExternalNetwork", network), false);
}
