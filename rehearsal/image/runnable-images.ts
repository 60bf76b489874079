import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";

/** Folder of the images whose HostProcess containers really run; rehearsal/cri/programs.go knows the same images. */
export const runnableImages = "C:\\rehearsal\\images";

/** What the images are made of: folders of artifacts. */
export interface RunnableImageSources {
  readonly agnhost: string;
  readonly curl: string;
  readonly nslookup: string;
}

/**
 * Puts each image's programs on drive C:, in a folder of the image's name.
 *
 * @param driveC drive C: as a folder of this machine.
 */
export async function writeRunnableImages(
  sources: RunnableImageSources,
  driveC: string,
): Promise<void> {
  // curl is in agnhost's images for Windows, too; nslookup is Windows' own.
  const agnhost = join(driveC, "rehearsal/images/agnhost");
  await mkdir(agnhost, { recursive: true });
  // Without an extension, as in the image for Windows.
  await copyFile(join(sources.agnhost, "agnhost.exe"), join(agnhost, "agnhost"));
  await copyFile(join(sources.curl, "curl.exe"), join(agnhost, "curl.exe"));
  await copyFile(join(sources.nslookup, "nslookup.exe"), join(agnhost, "nslookup.exe"));
}
