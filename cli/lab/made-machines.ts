import type { KubeconfigSource } from "../../components/controlplane/existing/examine-cluster.ts";
import { clusterMakers } from "../../components/machine/machine-makers.ts";
import type { StackMachines } from "../../components/machine/stack-machines.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { existingSettings, noLab, withoutSealed } from "../stack-settings.ts";

/** A stack of existing machines whose settings also have machines made, and those. */
export interface MachinesMade {
  readonly stack: string;
  readonly title: string;
  readonly kubeconfig: KubeconfigSource;
  readonly machines: StackMachines;
}

export async function machinesMade(stack: string): Promise<MachinesMade> {
  const settings = await existingSettings(stack);
  if (settings?.machine === undefined) throw noLab(stack);
  const { machine, cluster } = settings;
  const { title, stackMachines } = clusterMakers[machine.kind];
  const machinesOf = await stackMachines();
  const kubeconfig = await readable(stack, "cluster", cluster.kubeconfig);
  const own = machine.kubeconfig && (await readable(stack, "machine", machine.kubeconfig));
  const machines = machinesOf({ ...machine, kubeconfig: own }, kubeconfig, stack);
  return { stack, title, kubeconfig, machines };
}

const sealed = withoutSealed({ text: { secure: "" } }) as KubeconfigSource;

/** A kubeconfig of the settings; the engine decrypts an encrypted one. */
async function readable(
  stack: string,
  section: string,
  source: KubeconfigSource,
): Promise<KubeconfigSource> {
  if (source.file !== sealed.file) return source;
  const path = ["--path", `kindows:${section}.kubeconfig.text`];
  return {
    ...source,
    file: undefined,
    text: await enginePulumi(stack).state(["config", "get", ...path]),
  };
}
