import { imageMedia, isMadeFromIso } from "../../components/windows/image/media.ts";
import type { HostProblem } from "../../config/host-problem.ts";
import type { Settings } from "../../config/settings.ts";
import { windowsVersionOf } from "../../config/supported.ts";
import type { FetchedFile } from "./programs.ts";

/** What a stack's image is made of, as far as it is downloaded. */
export interface DownloadedMedia {
  readonly files: readonly (FetchedFile & { readonly sha256: string })[];
  /** Why others are not, as lines for the user. */
  readonly problems: readonly HostProblem[];
}

/** What is downloaded for the image of a stack: pinned, never trusted on first use. */
export function downloadedMedia({ windows }: Pick<Settings, "windows">): DownloadedMedia {
  const { image, version } = windows;
  if (!isMadeFromIso(image)) {
    return { files: [], problems: [] };
  }
  const { media, problems } = imageMedia(image, windowsVersionOf(version));
  const files = media.flatMap(({ source }) =>
    source.kind === "file"
      ? []
      : [{ uri: source.url, sha256: source.sha256, bytes: source.bytes, origin: {} }],
  );
  return { files, problems };
}
