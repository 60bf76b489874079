import type { WindowsVersion } from "../../../config/supported.ts";
import type { PinnedMedium } from "./pinned-media.ts";

/** An evaluation ISO of Microsoft. */
export interface PinnedIso extends PinnedMedium {
  /** Why it is known to be too old for a node; undefined if it is new enough. */
  readonly tooOld?: string;
}

/**
 * Microsoft's English evaluation ISOs. Microsoft publishes no checksums of them: these are the ones that rgl's
 * windows-evaluation-isos.json and dockur/windows have independently of each other, and for 2022 also
 * kubernetes-sigs/sig-windows-dev-tools. They have not been downloaded to verify this.
 */
export const evaluationIsos: Readonly<Record<WindowsVersion, PinnedIso>> = {
  "2022": {
    url: "https://software-static.download.prss.microsoft.com/sg/download/888969d5-f34g-4e03-ac9d-1f9786c66749/SERVER_EVAL_x64FRE_en-us.iso",
    sha256: "3e4fa6d8507b554856fc9ca6079cc402df11a8b79344871669f0251535255325",
    bytes: 5_044_094_976,
    // So it was in kubernetes-sigs/sig-windows-dev-tools at ae218d7, of 10 May 2024.
    tooOld: "had this checksum in May 2024 already",
  },
  "2025": {
    url: "https://software-static.download.prss.microsoft.com/dbazure/998969d5-f34g-4e03-ac9d-1f9786c66749/26100.32230.260111-0550.lt_release_svc_refresh_SERVER_EVAL_x64FRE_en-us.iso",
    sha256: "7b052573ba7894c9924e3e87ba732ccd354d18cb75a883efa9b900ea125bfd51",
    bytes: 8_152_356_864,
  },
};

/** Summary of the evaluation's licence terms, and their URL. */
export const evaluationTerms =
  "Microsoft's terms for evaluations of Windows Server hold for it: 180 days, activated over the internet within the " +
  "first 10 (it shuts down otherwise), not for production. They are shown with the download on " +
  "https://www.microsoft.com/evalcenter and by Windows itself";
