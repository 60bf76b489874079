import type { BuildContext } from "../artifact.ts";
import { fetchDownloads } from "./download.ts";
import { buildGo, goInputs, sharedPackages } from "./go-build.ts";
import { requireGo, requireReachable } from "./go-toolchain.ts";
import { findInstalled, takeInstalled } from "./installed.ts";
import { ownRelease } from "./own-release.ts";
import type { Download, Outcome, Tool, ToolArtifact } from "./tool.ts";

/** Where a tool comes from. Each source fills the folder, or returns why it cannot. */
interface ToolSources {
  installed(tool: Tool, into: string): Promise<Outcome>;
  download(tool: ToolArtifact, into: string, context: BuildContext): Promise<Outcome>;
  build(tool: Tool, into: string, context: BuildContext): Promise<void>;
}

const realSources: ToolSources = {
  installed: takeInstalled,
  download: async (artifact, into, context) => {
    const downloads = await downloadsOf(artifact);
    return downloads === undefined ? "" : fetchDownloads(downloads, into, context);
  },
  build: (tool, into, context) => buildGo(tool.go, into, context),
};

export function toolArtifact(tool: Tool, sources: ToolSources = realSources): ToolArtifact {
  const artifact: ToolArtifact = {
    name: tool.name,
    tool,
    needs: [],
    hostPackages: ["curl"],
    seconds: tool.seconds,
    shares: sharedPackages(tool.go),
    inputs: async () => ({ version: tool.version, ...(await goInputs(tool.go)) }),
    check: () => requireSource(artifact),
    build: async (into, context) => {
      const notInstalled = await sources.installed(tool, into);
      if (notInstalled === undefined) {
        context.progress(`version ${tool.version} is installed, taken`);
        return;
      }
      const notDownloaded = await sources.download(artifact, into, context);
      if (notDownloaded === undefined) {
        context.progress(`version ${tool.version} downloaded`);
        return;
      }
      const reasons = [notInstalled, notDownloaded].filter((reason) => reason !== "").join(", ");
      const why = reasons === "" ? "" : `: ${reasons}`;
      context.progress(`building ${tool.version} from Go modules${why}`);
      await sources.build(tool, into, context);
    },
  };
  return artifact;
}

async function downloadsOf(artifact: ToolArtifact): Promise<readonly Download[] | undefined> {
  return artifact.tool.downloads ?? ownRelease(artifact);
}

/** @throws if it has to be built without a suitable Go. */
async function requireSource(artifact: ToolArtifact): Promise<void> {
  const { name, tool } = artifact;
  if ("file" in (await findInstalled(tool))) return;
  const urls = (await downloadsOf(artifact))?.map(({ url }) => url);
  await (urls === undefined ? requireGo(name) : requireReachable(urls, name));
}
