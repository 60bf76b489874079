import type { Complaint } from "../problem.ts";

const instead = "Write qemu+ssh://USER@HOST/system, with :PORT behind HOST where it is not 22.";

/** The system instance of libvirt's QEMU driver on another host, reached over SSH. */
export function remoteHypervisorUri(value: string): Complaint | undefined {
  if (/^qemu\+ssh:\/\/[a-z_][a-z0-9_.-]*@[A-Za-z0-9.-]+(:\d{1,5})?\/system$/i.test(value)) {
    return undefined;
  }
  if (/^qemu:\/\/\/(system)?$/.test(value)) {
    return {
      why: "is this host's own libvirt, which is there without being listed",
      instead: "Leave this entry out; nodes[].hypervisor calls it local.",
    };
  }
  if (/^qemu(\+\w+)?:\/\/[^/]*\/session/.test(value)) {
    return { why: "is a user instance of libvirt, whose machines may be on no bridge", instead };
  }
  if (/^qemu\+ssh:\/\/[^/]*@[^/]*\/system\?/.test(value)) {
    return {
      why: "has parameters",
      instead: "Leave them out: key and host key are settings of their own, beside it.",
    };
  }
  if (/^qemu\+ssh:\/\/[^/@]*:[^/@]*@/.test(value)) {
    return { why: "has a password in it", instead: `${instead} privateKeyFile logs in.` };
  }
  if (/^qemu\+ssh:\/\/[^/@]*\/system$/.test(value)) {
    return { why: "names no account", instead };
  }
  if (/^qemu(\+(tcp|tls|unix|libssh2?))?:\/\//.test(value)) {
    return { why: "is reached by something else than SSH with a pinned host key", instead };
  }
  return { why: "is not the address of a libvirt on another host", instead };
}
