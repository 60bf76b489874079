import { isDryRun } from "@pulumi/pulumi/runtime/index.js";

/** Whether this is a preview that must not contact daemons or read files of this host. `up` ignores the variable. */
export function isPreviewAnywhere(): boolean {
  return process.env["KINDOWS_PREVIEW"] === "anywhere" && isDryRun();
}
