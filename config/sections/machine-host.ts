import * as z from "zod";
import { localFile } from "../named-file.ts";
import { dnsLabel, unnamed } from "../values/dns-name.ts";
import { hostKey, someHostKey } from "../values/host-key.ts";
import { between, text } from "../values/value.ts";

/** Name of this host's hypervisor in `nodes[].hypervisor`. */
export const thisHypervisor = "local";

/** Overhead of the hypervisor itself (QEMU, vmwp.exe), in addition to the machine's memory. */
export const machineOverheadMiB = 256;

/** A larger number must have been meant in another unit. */
const mostMemoryMiB = 16 * 1024 * 1024;

export const machineMemoryMiB = between(1024, mostMemoryMiB).optional().meta({
  description:
    "Memory that the lab's machines may use on this hypervisor. A node without `hypervisor` runs where most of it is left, so every hypervisor needs this setting if there is such a node.",
  unit: "MiB",
  default: "unlimited",
});

export const remoteHost = z.strictObject({
  name: text(dnsLabel(15)).meta({
    description: `Name of the hypervisor, for \`nodes[].hypervisor\`: a DNS label of at most 15 characters, but not \`${thisHypervisor}\`.`,
    placeholder: unnamed,
  }),
  hostKey: text(hostKey).meta({
    description: "SSH host key of the host, e.g. `ssh-ed25519 AAAA...`. Any other key is refused.",
    placeholder: someHostKey,
  }),
  privateKeyFile: text(localFile).meta({
    description:
      "Absolute path, on this host, of the private key to log in with. It must not be encrypted.",
    placeholder: () => "/unnamed",
  }),
  machineMemoryMiB,
});
