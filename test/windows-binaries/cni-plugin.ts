import type { ProgramResult } from "../../rehearsal/machine/programs.ts";
import { dnsServer } from "./flannel-node.ts";
import type { WineMachine } from "./wine-machine.ts";

interface Call {
  readonly command: "ADD" | "DEL";
  readonly sandbox: string;
  readonly namespace: string;
  /** Name of the pod, for a plugin that looks it up. */
  readonly pod?: string;
}

/** A call of the network's first plugin as containerd makes it from the configuration on the node. */
export async function callPlugin(
  machine: WineMachine,
  configuration: string,
  { command, sandbox, namespace, pod }: Call,
): Promise<ProgramResult> {
  const list = JSON.parse(await machine.read(`C:\\etc\\cni\\net.d\\${configuration}`)) as {
    name: string;
    cniVersion: string;
    plugins: readonly { readonly type: string }[];
  };
  const [first] = list.plugins;
  const dns = { servers: [dnsServer], searches: ["default.svc.cluster.local"] };
  const portMappings = [{ hostPort: 8080, containerPort: 80, protocol: "tcp" }];
  const config = {
    ...first,
    ...{ name: list.name, cniVersion: list.cniVersion, runtimeConfig: { dns, portMappings } },
  };
  const ofPod = `K8S_POD_NAMESPACE=default;K8S_POD_NAME=${pod};K8S_POD_INFRA_CONTAINER_ID=${sandbox}`;
  return machine.windows.programs.run(`C:\\opt\\cni\\bin\\${first?.type}.exe`, [], {
    timeoutSeconds: 60,
    stdin: JSON.stringify(config),
    environment: [
      ...[`CNI_COMMAND=${command}`, `CNI_CONTAINERID=${sandbox}`, `CNI_NETNS=${namespace}`],
      ...["CNI_IFNAME=eth0", "CNI_PATH=C:\\opt\\cni\\bin"],
      ...(pod === undefined ? [] : [`CNI_ARGS=IgnoreUnknown=1;${ofPod}`]),
    ],
  });
}
