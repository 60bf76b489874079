import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
import { loadStack } from "./config/load.ts";
import type { StackSettings } from "./config/load.ts";
import { machineNodes } from "./config/settings.ts";
import { reachableNodes } from "./stacks/reachable-nodes.ts";

const { kubeconfig, sshPrivateKey, controlPlane, nodes, images } = await composed(
  await loadStack(),
);
export { kubeconfig, sshPrivateKey, controlPlane, nodes, images };

/** Composes the stack; loads only what its kind is made of. */
async function composed(stack: StackSettings) {
  if (stack.kind === "existing") {
    const { existingStack } = await import("./stacks/existing-stack.ts");
    // Keys and kubeconfig are the user's own.
    return {
      kubeconfig: undefined,
      sshPrivateKey: undefined,
      images: undefined,
      ...(await existingStack(stack.settings)),
    };
  }
  const present = reachableNodes(stack.settings);
  // A preview works anywhere; what this host must have is asked when something is about to be made on it.
  if (!isDryRun()) {
    const { preflight, prepareHost } = await import("./preflight/preflight.ts");
    await prepareHost();
    await preflight({ ...stack.settings, ...present });
  }
  const { kindOnLibvirt } = await import("./stacks/kind-on-libvirt.ts");
  return kindOnLibvirt(stack.settings, machineNodes(present));
}
