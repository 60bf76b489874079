/** Windows releases by their build, and what Microsoft calls their images. */
const releases: Readonly<Record<string, string>> = {
  "10.0.17763": "ltsc2019",
  "10.0.20348": "ltsc2022",
  "10.0.26100": "ltsc2025",
};

/**
 * Tag of Microsoft's base images for a node.
 *
 * @param build value of its label `node.kubernetes.io/windows-build`.
 * @throws for a build without published images.
 */
export function windowsRelease(build: string): string {
  const release = releases[build];
  if (release === undefined) {
    throw new Error(
      `there is no Windows image for the build "${build}" of the label node.kubernetes.io/windows-build: those known are ${Object.keys(releases).join(", ")}`,
    );
  }
  return release;
}
