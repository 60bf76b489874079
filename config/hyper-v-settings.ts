import * as z from "zod";
import { machineMemoryMiB, thisHypervisor } from "./hypervisor-settings.ts";
import { adminUser } from "./values/admin-user.ts";
import { dnsLabel } from "./values/dns-name.ts";
import { hostName } from "./values/endpoint.ts";
import { hostKey } from "./values/host-key.ts";
import { localFile } from "./values/local-file.ts";
import { between, text } from "./values/value.ts";
import { virtualSwitch } from "./values/virtual-switch.ts";
import { windowsFolder, windowsVhdx } from "./values/windows-path.ts";

const host = z.strictObject({
  name: text(dnsLabel(15)).meta({
    description: `What \`nodes[].hypervisor\` calls it: a DNS label of at most 15 characters, not \`${thisHypervisor}\`.`,
  }),
  address: text(hostName).meta({ description: "IPv4 address or DNS name of the Windows host." }),
  port: between(1, 65535).default(22).meta({ description: "Its SSH port." }),
  user: text(adminUser).default("Administrator").meta({
    description: "Account there, one of its administrators.",
  }),
  hostKey: text(hostKey).meta({
    description: "Its SSH host key, `ssh-ed25519 AAAA...`; any other is refused.",
  }),
  privateKeyFile: text(localFile).meta({
    description: "Absolute path, on this host, of the private key that logs in; not encrypted.",
  }),
  switch: text(virtualSwitch).meta({
    description:
      "External virtual switch there that is one segment with `network.bridge` of this host; made and connected by you (docs/hyper-v.md).",
  }),
  folder: text(windowsFolder).meta({
    description: "Folder there for the lab's machines, e.g. `D:\\kindows`; made when missing.",
  }),
  image: text(windowsVhdx).meta({
    description:
      "VHDX there that machines start from: the same image as `windows.image`, brought there by you (docs/hyper-v.md). Another path makes the machines anew.",
  }),
  generation: z.literal([1, 2]).optional().meta({
    description: "Generation of the machines: 1 starts with BIOS, 2 with UEFI.",
    default: "2 where `windows.image.firmware` is `uefi`, else 1",
  }),
  secureBoot: z.boolean().optional().meta({
    description: "Whether machines of generation 2 start with Secure Boot.",
    default: "`true` for generation 2",
  }),
  machineMemoryMiB,
});

/** Windows hosts with Hyper-V. */
export const hyperVHosts = z.array(host).default([]);
