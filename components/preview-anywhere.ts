import { isDryRun } from "@pulumi/pulumi/runtime/index.js";

/** Whether this is a preview that asks no daemon of this host and reads none of its files; an `up` takes no notice of the variable. */
export function isPreviewAnywhere(): boolean {
  return process.env["KINDOWS_PREVIEW"] === "anywhere" && isDryRun();
}
