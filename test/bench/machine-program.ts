/** Pulumi program for measuring a boot: one machine of a lab with its network and disk, and nothing else. */
import * as docker from "@pulumi/docker";
import * as libvirt from "@pulumi/libvirt";
import * as pulumi from "@pulumi/pulumi";
import { randomLabId } from "../../components/lab-id.ts";
import { makersComponents } from "../../components/machine/machine-makers.ts";
import { LabNetwork } from "../../components/network/lab-network.ts";
import { addressPlan } from "../../config/address-plan.ts";
import { loadStack } from "../../config/load.ts";
import { labNames } from "../../config/names.ts";
import { LabImages } from "../../stacks/lab-images.ts";
import { machineImage } from "../../stacks/machine-image.ts";
import { labMachines } from "../../stacks/machines.ts";

const stack = await loadStack();
if (stack.kind !== "lab") throw new Error("this stack is not a lab");
const { settings } = stack;
const [node] = settings.nodes;
if (node === undefined) throw new Error("the settings name no Windows node");
const names = labNames(settings.lab.name);
const plan = addressPlan(settings.network.cidr);
const libvirtProvider = new libvirt.Provider(
  "hypervisor",
  { uri: settings.hypervisor.uri },
  { ignoreChanges: ["version"] },
);
const labId = randomLabId();
const network = new LabNetwork("lab", {
  name: names.network,
  cidr: plan.cidr,
  bridge: settings.network.bridge,
  domain: settings.network.domain,
  gateway: plan.gateway,
  containers: plan.containerRange,
  libvirtProvider,
  dockerProvider: new docker.Provider("docker"),
  labId,
});
const images = new LabImages();
const image = machineImage(settings, images);
labMachines(
  { ...settings, present: [node], images, makers: await makersComponents() },
  image?.disk,
  {
    ...{ network, fabric: new Map(), labId, libvirtProvider },
    parent: new pulumi.ComponentResource("kindows:bench:Lab", "lab"),
  },
);

export const address = node.address;
