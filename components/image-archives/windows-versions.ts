/** Build of Windows Server 2022, the first that also runs images of the release before its own. */
const firstCompatible = 20_348;

/** Builds of the long-term releases from then on: Windows Server 2022 and 2025. */
const longTermReleases = [20_348, 26_100];

/**
 * Whether a node runs containers of an image with process isolation: an image of the same build or, from Windows Server 2022
 * on, of any build since the long-term release before the node's own. As containerd decides (containerd/platforms,
 * platform_windows_compat.go); Microsoft: "Windows container version compatibility".
 *
 * @param image version of Windows that the image is for, e.g. `10.0.20348.2113`.
 * @param node version of the node's Windows.
 */
export function runsImageOf(image: string, node: string): boolean {
  const [imageBuild, nodeBuild] = [buildOf(image), buildOf(node)];
  if (imageBuild === undefined || nodeBuild === undefined) return true;
  if (nodeBuild < firstCompatible) return imageBuild === nodeBuild;
  const before = longTermReleases.filter((build) => build < nodeBuild).at(-1) ?? firstCompatible;
  return before <= imageBuild && imageBuild <= nodeBuild;
}

function buildOf(version: string): number | undefined {
  const build = /^\d+\.\d+\.(\d+)/.exec(version)?.[1];
  return build === undefined ? undefined : Number(build);
}
