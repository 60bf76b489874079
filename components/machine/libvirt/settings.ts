import * as z from "zod";
import { localFile } from "../../../config/named-file.ts";
import { imagesFolder } from "../../../config/names.ts";
import type { Complaint } from "../../../config/problem.ts";
import { hostKey } from "../../../config/values/host-key.ts";
import { cidr, machineAddress } from "../../../config/values/ip-address.ts";
import { text } from "../../../config/values/value.ts";
import { machineMemoryMiB, remoteHost } from "../../../config/sections/machine-host.ts";
import { bridgeName } from "../../../config/values/bridge-name.ts";

function fabricAddress(without: string): z.ZodOptional<z.ZodString> {
  return text(machineAddress).optional().meta({
    description:
      "IPv4 address at which the lab's other hosts reach it, if kindows makes the fabric.",
    default: without,
  });
}

const exampleSubnet = "192.168.151.0/24";

const domainType = z.enum(["kvm", "qemu"]);

export const hypervisor = z.strictObject({
  uri: text(hypervisorUri)
    .default("qemu:///system")
    .meta({ description: "libvirt's URI, which must be the system instance of this host." }),
  domainType: domainType.default("kvm").meta({
    description:
      "`kvm`, or `qemu` (emulation, about ten times slower) without KVM: suitable for rehearsals only.",
  }),
  folder: text(localFile).default(imagesFolder).meta({
    description:
      "Absolute path of the folder on this host in which the lab makes one for its disks. libvirt's QEMU must be able to reach it. A lab moves there when it is made again.",
  }),
  machineMemoryMiB,
  fabricAddress: fabricAddress("none; required with `hypervisors` and a fabric made by kindows"),
});

const remote = remoteHost.extend({
  uri: text(remoteHypervisorUri).meta({
    description: "libvirt's URI there, `qemu+ssh://USER@HOST[:PORT]/system`.",
    placeholder: (index: number) => `qemu+ssh://unnamed@unnamed-${index}/system`,
  }),
  hostKey: text(ed25519HostKey).meta(remoteHost.shape.hostKey.meta() ?? {}),
  bridge: text(bridgeName)
    .optional()
    .meta({
      description:
        "Linux bridge there, for machines. With `network.fabric: bridge` it is required, and you make and connect it (docs/fleet.md); otherwise kindows makes it.",
      default: "`network.bridge`",
      placeholder: () => "unnamed",
    }),
  fabricAddress: fabricAddress("the host in `uri`, if that is an IPv4 address"),
  cidr: text(cidr(exampleSubnet)).optional().meta({
    description:
      "IPv4 range of the machines there, /24 or larger, with `network.fabric: routed`: `.1` is the hypervisor, `.2` to `.99` are for machines.",
    default: "none; required with `routed`",
  }),
  domainType: domainType.optional().meta({
    description: "`kvm` or `qemu`.",
    default: "`hypervisor.domainType`",
  }),
});

export const hypervisors = z.array(remote).default([]).meta({
  description: "Further hypervisors, on other hosts, for machines of this lab (docs/fleet.md).",
});

export type ThisHypervisor = z.output<typeof hypervisor>;

export type RemoteHypervisorSettings = z.output<typeof remote>;

export interface HypervisorsSection {
  readonly hypervisors: readonly RemoteHypervisorSettings[];
}

/** Accepts only the system instance of libvirt's QEMU driver on this host, whose bridge this host's Docker can use. */
function hypervisorUri(value: string): Complaint | undefined {
  if (value === "qemu:///system") return undefined;
  const instead = "Write qemu:///system.";
  if (/^qemu:\/\/\/session/.test(value)) {
    return { why: "is libvirt's session instance, which cannot make bridges", instead };
  }
  if (/^qemu(\+\w+)?:\/\/[^/]/.test(value)) {
    return {
      why: "is another host's libvirt, whose bridge kind's containers on this host cannot use",
      instead: `${instead} Hypervisors of other hosts are listed under kindows:hypervisors (docs/fleet.md).`,
    };
  }
  return { why: "is not a libvirt URI that kindows supports", instead };
}

const instead = "Write qemu+ssh://USER@HOST/system, with :PORT after HOST if it is not 22.";

const otherUris: readonly (readonly [pattern: RegExp, why: string, instead?: string])[] = [
  [
    /^qemu:\/\/\/(system)?$/,
    "is this host's own libvirt, which needs no entry",
    "Leave this entry out; in nodes[].hypervisor its name is local.",
  ],
  [
    /^qemu(\+\w+)?:\/\/[^/]*\/session/,
    "is a session instance of libvirt, whose machines cannot use a bridge",
  ],
  [
    /^qemu\+ssh:\/\/[^/]*@[^/]*\/system\?/,
    "has parameters",
    "Leave them out; the key and host key are settings of their own.",
  ],
  [
    /^qemu\+ssh:\/\/[^/@]*:[^/@]*@/,
    "contains a password",
    `${instead} Log in with privateKeyFile.`,
  ],
  [/^qemu\+ssh:\/\/[^/@]*\/system$/, "names no account"],
  [/^qemu(\+(tcp|tls|unix|libssh2?))?:\/\//, "does not use SSH with a pinned host key"],
];

function remoteHypervisorUri(value: string): Complaint | undefined {
  if (/^qemu\+ssh:\/\/[a-z_][a-z0-9_.-]*@[A-Za-z0-9.-]+(:\d{1,5})?\/system$/i.test(value)) {
    return undefined;
  }
  const [, why = "is not the URI of a libvirt on another host", otherwise = instead] =
    otherUris.find(([pattern]) => pattern.test(value)) ?? [];
  return { why, instead: otherwise };
}

/**
 * Accepts only ed25519 host keys. The libvirt provider uses the first key type that it and the server have in common,
 * even if another type is pinned (golang/go#29286), and that is ed25519.
 */
function ed25519HostKey(value: string): Complaint | undefined {
  const complaint = hostKey(value);
  if (complaint !== undefined || value.trim().startsWith("ssh-ed25519 ")) return complaint;
  return {
    why: "is not of type ssh-ed25519, which the libvirt provider prefers",
    instead: "Write its ssh-ed25519 key: cat /etc/ssh/ssh_host_ed25519_key.pub there.",
  };
}
