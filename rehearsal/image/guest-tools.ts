import { join } from "node:path";
import {
  agnhostWindows,
  cniPluginsWindows,
  containerdWindows,
  flannelPluginWindows,
  flannelWindows,
  kubeProxyWindows,
  kubernetesWindows,
} from "../../toolchain/tools/table.ts";
import type { ToolArtifact } from "../../toolchain/tools/tool.ts";
import { toolArtifact } from "../../toolchain/tools/tool-artifact.ts";

/** A program of this project, by its folder in rehearsal/. */
function ownTool(folder: string, program: string): ToolArtifact {
  return toolArtifact({
    name: `rehearsal-${folder}`,
    version: "0.1.0",
    go: {
      module: join(import.meta.dirname, "..", folder),
      packages: { [program]: "." },
      forWine: true,
    },
  });
}

/** The CRI server in front of the guest's containerd. */
export const rehearsalCri = ownTool("cri", "rehearsal-cri.exe");
/** Stand-ins for Windows' own programs in the guest's containers. */
export const rehearsalCurl = ownTool("curl", "curl.exe");
export const rehearsalNslookup = ownTool("nslookup", "nslookup.exe");

/** The guest's Windows programs, built for Wine. Only this project publishes them. */
export const guestTools: readonly ToolArtifact[] = [
  ...[kubernetesWindows, kubeProxyWindows, containerdWindows],
  ...[flannelWindows, flannelPluginWindows, cniPluginsWindows],
  ...[rehearsalCri, agnhostWindows, rehearsalCurl, rehearsalNslookup],
];
