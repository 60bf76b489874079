import type { Complaint } from "../problem.ts";
import { hostKey } from "./host-key.ts";

/**
 * An SSH host key of the kind that every client asks for first. The libvirt provider takes the first kind that it and the
 * server have in common, whichever is pinned (golang/go#29286): another kind would never match.
 */
export function ed25519HostKey(value: string): Complaint | undefined {
  const complaint = hostKey(value);
  if (complaint !== undefined || value.trim().startsWith("ssh-ed25519 ")) {
    return complaint;
  }
  return {
    why: "is not of the kind that libvirt's provider asks a server for first",
    instead: "Write its ssh-ed25519 key: cat /etc/ssh/ssh_host_ed25519_key.pub there.",
  };
}
