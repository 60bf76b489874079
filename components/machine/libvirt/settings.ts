import * as z from "zod";
import type { Complaint } from "../../../config/problem.ts";
import { hostKey } from "../../../config/values/host-key.ts";
import { cidr, machineAddress } from "../../../config/values/ip-address.ts";
import { text } from "../../../config/values/value.ts";
import { machineMemoryMiB, remoteHost } from "../../../config/sections/machine-host.ts";
import { bridgeName } from "../../../config/sections/network.ts";

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
    .meta({ description: "libvirt's address, the system instance of this host." }),
  domainType: domainType.default("kvm").meta({
    description:
      "`kvm`, or `qemu` (emulation, about ten times slower) without KVM: suitable for rehearsals only.",
  }),
  machineMemoryMiB,
  fabricAddress: fabricAddress("none; required with `hypervisors` and a fabric made by kindows"),
});

const remote = remoteHost.extend({
  uri: text(remoteHypervisorUri).meta({
    description: "libvirt's address there, `qemu+ssh://USER@HOST[:PORT]/system`.",
    placeholder: (place: number) => `qemu+ssh://unnamed@unnamed-${place}/system`,
  }),
  hostKey: text(ed25519HostKey).meta(remoteHost.shape.hostKey.meta() ?? {}),
  bridge: text(bridgeName)
    .optional()
    .meta({
      description:
        "Linux bridge there, for machines. With `network.fabric: bridge` it is required, and made and connected by you (docs/fleet.md); otherwise kindows makes it.",
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

/** The system instance of libvirt's QEMU driver on this host; other hosts can't share a bridge with its Docker. */
function hypervisorUri(value: string): Complaint | undefined {
  if (value === "qemu:///system") return undefined;
  const instead = "Write qemu:///system.";
  if (/^qemu:\/\/\/session/.test(value)) {
    return { why: "is libvirt's user instance, which may not make bridges", instead };
  }
  if (/^qemu(\+\w+)?:\/\/[^/]/.test(value)) {
    return {
      why: "is another host's libvirt, whose bridge kind's containers here could not be on",
      instead: `${instead} Hypervisors of other hosts are listed under kindows:hypervisors (docs/fleet.md).`,
    };
  }
  return { why: "is not a libvirt address this program can work with", instead };
}

const instead = "Write qemu+ssh://USER@HOST/system, with :PORT behind HOST where it is not 22.";

const otherUris: readonly (readonly [looks: RegExp, why: string, instead?: string])[] = [
  [
    /^qemu:\/\/\/(system)?$/,
    "is this host's own libvirt, which is there without being listed",
    "Leave this entry out; nodes[].hypervisor calls it local.",
  ],
  [
    /^qemu(\+\w+)?:\/\/[^/]*\/session/,
    "is a user instance of libvirt, whose machines may be on no bridge",
  ],
  [
    /^qemu\+ssh:\/\/[^/]*@[^/]*\/system\?/,
    "has parameters",
    "Leave them out: key and host key are settings of their own, beside it.",
  ],
  [/^qemu\+ssh:\/\/[^/@]*:[^/@]*@/, "has a password in it", `${instead} privateKeyFile logs in.`],
  [/^qemu\+ssh:\/\/[^/@]*\/system$/, "names no account"],
  [
    /^qemu(\+(tcp|tls|unix|libssh2?))?:\/\//,
    "is reached by something else than SSH with a pinned host key",
  ],
];

function remoteHypervisorUri(value: string): Complaint | undefined {
  if (/^qemu\+ssh:\/\/[a-z_][a-z0-9_.-]*@[A-Za-z0-9.-]+(:\d{1,5})?\/system$/i.test(value)) {
    return undefined;
  }
  const [, why = "is not the address of a libvirt on another host", otherwise = instead] =
    otherUris.find(([looks]) => looks.test(value)) ?? [];
  return { why, instead: otherwise };
}

/**
 * An SSH host key of the kind that every client asks for first. The libvirt provider takes the first kind that it and the
 * server have in common, whichever is pinned (golang/go#29286): another kind would never match.
 */
function ed25519HostKey(value: string): Complaint | undefined {
  const complaint = hostKey(value);
  if (complaint !== undefined || value.trim().startsWith("ssh-ed25519 ")) return complaint;
  return {
    why: "is not of the kind that libvirt's provider asks a server for first",
    instead: "Write its ssh-ed25519 key: cat /etc/ssh/ssh_host_ed25519_key.pub there.",
  };
}
