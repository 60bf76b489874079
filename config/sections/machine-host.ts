import * as z from "zod";
import { localFile } from "../named-file.ts";
import { dnsLabel, unnamed } from "../values/dns-name.ts";
import { hostKey, someHostKey } from "../values/host-key.ts";
import { between, text } from "../values/value.ts";

/** What the hypervisor of this host is called where nodes are placed. */
export const thisHypervisor = "local";

/** Beyond this a number was meant in another unit. */
const mostMemoryMiB = 16 * 1024 * 1024;

export const machineMemoryMiB = between(1024, mostMemoryMiB).optional().meta({
  description:
    "Memory for the lab's machines there. Nodes that name no hypervisor are spread by it: it has to be written for all of them then.",
  unit: "MiB",
  default: "unknown, nothing is spread",
});

export const remoteHost = z.strictObject({
  name: text(dnsLabel(15)).meta({
    description: `What \`nodes[].hypervisor\` calls it: a DNS label of at most 15 characters, not \`${thisHypervisor}\`.`,
    placeholder: unnamed,
  }),
  hostKey: text(hostKey).meta({
    description: "Its SSH host key, `ssh-ed25519 AAAA...`; any other is refused.",
    placeholder: someHostKey,
  }),
  privateKeyFile: text(localFile).meta({
    description: "Absolute path, on this host, of the private key that logs in; not encrypted.",
    placeholder: () => "/unnamed",
  }),
  machineMemoryMiB,
});
