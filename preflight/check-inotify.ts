import type { Settings } from "../config/settings.ts";
import { needs } from "./footprint.ts";
import type { HostFacts } from "./host-facts.ts";
import { type HostProblem, unless } from "../config/host-problem.ts";

/** What a workstation is usually told to have for kind (https://kind.sigs.k8s.io/docs/user/known-issues/). */
const advised = 512;

/**
 * The Linux nodes still to be made get their inotify instances. Where these run out, containers' systemd, kubelets and
 * dnsmasq fail with "too many open files", each at another time.
 */
export function checkInotify(settings: Settings, facts: HostFacts): HostProblem[] {
  const needed = needs(settings, facts).reduce((sum, one) => sum + one.inotifyInstances, 0);
  const { limit, used } = facts.inotify;
  return unless(needed <= limit - used, {
    subject: "fs.inotify.max_user_instances",
    why: `is ${limit}, of which ${used} are in use; the Linux nodes need ${needed} more`,
    instead: `Run \`sysctl -w fs.inotify.max_user_instances=${Math.max(advised, 2 * (used + needed))}\`, and write it to /etc/sysctl.d/ for the next boot.`,
  });
}
