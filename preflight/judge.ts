import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";
import { judgeBridge } from "./judge-bridge.ts";
import { judgeDisks } from "./judge-disks.ts";
import { judgeDocker } from "./judge-docker.ts";
import { judgeHyperV } from "./judge-hyper-v.ts";
import { judgeHypervisors } from "./judge-hypervisors.ts";
import { judgeImage } from "./judge-image.ts";
import { judgeInotify } from "./judge-inotify.ts";
import { judgeKvm } from "./judge-kvm.ts";
import { judgeLibvirt } from "./judge-libvirt.ts";
import { judgeLinuxMedia } from "./judge-linux-media.ts";
import { judgeMemory } from "./judge-memory.ts";
import { judgeNames } from "./judge-names.ts";
import { judgePrograms } from "./judge-programs.ts";
import { judgeSegment } from "./judge-segment.ts";
import { judgeTools } from "./judge-tools.ts";

const judges: readonly ((settings: Settings, facts: HostFacts) => HostProblem[])[] = [
  judgeDocker,
  judgeLibvirt,
  judgeKvm,
  judgeHypervisors,
  judgeHyperV,
  judgeTools,
  judgeImage,
  judgePrograms,
  judgeLinuxMedia,
  judgeBridge,
  judgeSegment,
  judgeNames,
  judgeMemory,
  judgeInotify,
  judgeDisks,
];

/** Everything a lab with these settings can't be made with on a host like this. */
export function judge(settings: Settings, facts: HostFacts): HostProblem[] {
  return judges.flatMap((one) => one(settings, facts));
}
