import path from "node:path";
import { execa } from "execa";
import { addressPlan } from "../config/address-plan.ts";
import { nodeImage } from "../stacks/node-image.ts";
import { stackSettings } from "../cli/stack-settings.ts";
import { projectRoot } from "../toolchain/project.ts";
import { benchLab, benchPrefix } from "./bench-lab.ts";
import { timed } from "./report.ts";

const action = path.join("components", "controlplane", "actions", "create-kind-cluster.ts");

/** Seconds to make the lab's kind cluster, and nothing else, on a plain Docker network; `kindows down` removes it. */
export async function kindAlone(): Promise<number> {
  const settings = await stackSettings(benchLab.stack);
  const { cidr, gateway, containerRange } = addressPlan(settings.network.cidr);
  await execa("docker", [
    ...["network", "create", "--subnet", cidr, "--gateway", gateway],
    ...["--ip-range", containerRange, benchPrefix],
  ]);
  const cluster = {
    name: benchPrefix,
    image: nodeImage(settings),
    controlPlanes: settings.cluster.controlPlanes,
    podCidr: settings.cluster.podCidr,
    serviceCidr: settings.cluster.serviceCidr,
    defaultCni: settings.cni.kind === "kind-default",
    ...(settings.cni.kind !== "kind-default" && { cni: settings.cni.kind }),
    network: benchPrefix,
  };
  return timed("kind cluster alone", () =>
    execa(process.execPath, ["--import", "tsx", action], {
      cwd: projectRoot,
      env: { CLUSTER: JSON.stringify(cluster) },
      stdin: "ignore",
    }),
  );
}
