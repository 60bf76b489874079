/** Pulumi program: one machine of a lab and what it stands on, for measuring its boot without anything beside it. */
import * as docker from "@pulumi/docker";
import * as libvirt from "@pulumi/libvirt";
import { LibvirtMachine } from "../components/machine/libvirt-machine.ts";
import { macAddress } from "../components/machine/mac-address.ts";
import { MachineStorage } from "../components/machine/machine-storage.ts";
import { SshKey } from "../components/machine/ssh-key.ts";
import { LabNetwork } from "../components/network/lab-network.ts";
import { addressPlan } from "../config/address-plan.ts";
import { loadSettings } from "../config/load.ts";
import { domainName, labNames } from "../config/names.ts";
import { machineImage } from "../stacks/machine-image.ts";

const settings = loadSettings();
const [node] = settings.nodes;
if (node === undefined) {
  throw new Error("the settings name no Windows node");
}
const names = labNames(settings.lab.name);
const plan = addressPlan(settings.network.cidr);
const libvirtProvider = new libvirt.Provider(
  "hypervisor",
  { uri: settings.hypervisor.uri },
  { ignoreChanges: ["version"] },
);
const network = new LabNetwork("lab", {
  name: names.network,
  cidr: plan.cidr,
  bridge: settings.network.bridge,
  domain: settings.network.domain,
  gateway: plan.gateway,
  containerRange: plan.containerRange,
  libvirtProvider,
  dockerProvider: new docker.Provider("docker"),
});
new LibvirtMachine(node.name, {
  computerName: node.name,
  os: "windows",
  domainName: domainName(settings.lab.name, node.name),
  domainType: settings.hypervisor.domainType,
  cpus: node.cpus,
  memoryMiB: node.memoryMiB,
  diskGiB: node.diskGiB,
  address: node.address,
  mac: macAddress(names.prefix, node.name),
  networkId: network.networkId,
  storage: new MachineStorage("machines", {
    uri: settings.hypervisor.uri,
    poolName: names.pool,
    poolPath: names.poolFolder,
    image: machineImage(settings).disk,
    libvirtProvider,
  }),
  login: { user: settings.windows.adminUser, key: new SshKey("login", { comment: names.prefix }) },
  libvirtProvider,
});

export const address = node.address;
