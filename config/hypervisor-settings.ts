import * as z from "zod";
import { bridgeName } from "./values/bridge-name.ts";
import { dnsLabel } from "./values/dns-name.ts";
import { ed25519HostKey } from "./values/ed25519-host-key.ts";
import { hypervisorUri } from "./values/hypervisor-uri.ts";
import { localFile } from "./values/local-file.ts";
import { remoteHypervisorUri } from "./values/remote-hypervisor-uri.ts";
import { between, text } from "./values/value.ts";

/** What the hypervisor of this host is called where nodes are placed. */
export const thisHypervisor = "local";

const domainType = z.enum(["kvm", "qemu"]);

/** Beyond this a number was meant in another unit. */
const mostMemoryMiB = 16 * 1024 * 1024;

/** Memory that a hypervisor has for machines. */
export const machineMemoryMiB = between(1024, mostMemoryMiB).optional().meta({
  description:
    "Memory for the lab's machines there. Nodes that name no hypervisor are spread by it: it has to be written for all of them then.",
  unit: "MiB",
  default: "unknown, nothing is spread",
});

/** The hypervisor of this host. */
export const hypervisor = z.strictObject({
  uri: text(hypervisorUri)
    .default("qemu:///system")
    .meta({ description: "libvirt's address, the system instance of this host." }),
  domainType: domainType.default("kvm").meta({
    description:
      "`kvm`, or `qemu` (emulation, some ten times slower) where there is no KVM: fit for rehearsals only.",
  }),
  machineMemoryMiB,
});

const remote = z.strictObject({
  name: text(dnsLabel(15)).meta({
    description: `What \`nodes[].hypervisor\` calls it: a DNS label of at most 15 characters, not \`${thisHypervisor}\`.`,
  }),
  uri: text(remoteHypervisorUri).meta({
    description: "libvirt's address there, `qemu+ssh://USER@HOST[:PORT]/system`.",
  }),
  hostKey: text(ed25519HostKey).meta({
    description: "Its SSH host key, `ssh-ed25519 AAAA...`; any other is refused.",
  }),
  privateKeyFile: text(localFile).meta({
    description: "Absolute path, on this host, of the private key that logs in; not encrypted.",
  }),
  bridge: text(bridgeName).meta({
    description:
      "Linux bridge there that is one segment with `network.bridge` of this host; made and connected by you (docs/fleet.md).",
  }),
  domainType: domainType.optional().meta({
    description: "`kvm` or `qemu`.",
    default: "`hypervisor.domainType`",
  }),
  machineMemoryMiB,
});

/** Hypervisors on other hosts. */
export const hypervisors = z.array(remote).default([]);
