import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
import { loadSettings } from "./config/load.ts";
import { kindOnLibvirt } from "./stacks/kind-on-libvirt.ts";
import { machineImage } from "./stacks/machine-image.ts";

const settings = loadSettings();
// A preview works anywhere; what this host must have is asked when something is about to be made on it.
if (!isDryRun()) {
  const { preflight } = await import("./config/preflight/preflight.ts");
  await preflight(settings);
}
const lab = kindOnLibvirt(settings, machineImage(settings));

export const kubeconfig = lab.kubeconfig;
export const sshPrivateKey = lab.sshPrivateKey;
export const controlPlane = lab.controlPlane;
export const nodes = lab.nodes;
