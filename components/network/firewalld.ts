import { existsSync } from "node:fs";
import path from "node:path";

/** Whether firewalld runs, and whether it has Docker's zone; `unknown` if only root may see that. */
export type FirewalldState = "off" | "with Docker's zone" | "without Docker's zone" | "unknown";

/** The zone that Docker makes when it starts beside firewalld, and in which it wants its bridges. */
export const dockerZone = "docker";

/** systemd has a control group for each running service, in either version of control groups. */
function isFirewalldOn(root: string): boolean {
  return ["sys/fs/cgroup", "sys/fs/cgroup/systemd"].some((folder) =>
    existsSync(path.join(root, folder, "system.slice/firewalld.service")),
  );
}

/**
 * The zone of firewalld for a bridge that libvirt and Docker share on this host. Docker refuses a bridge in another zone
 * than its own, and libvirt puts it into one of its own unless the network says otherwise. Undefined without firewalld,
 * beside which alone libvirt accepts a zone.
 */
export function sharedZone(uri: string, root = "/"): string | undefined {
  return uri.startsWith("qemu:///") && isFirewalldOn(root) ? dockerZone : undefined;
}

export function firewalldState(root: string): FirewalldState {
  if (!isFirewalldOn(root)) return "off";
  const folders = ["etc/firewalld/zones", "usr/lib/firewalld/zones"].map((each) =>
    path.join(root, each),
  );
  if (folders.some((folder) => existsSync(path.join(folder, `${dockerZone}.xml`)))) {
    return "with Docker's zone";
  }
  return existsSync(folders[0] ?? "") ? "without Docker's zone" : "unknown";
}
