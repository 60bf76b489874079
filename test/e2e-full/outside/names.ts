import { createHash } from "node:crypto";
import { projectRoot } from "../../../toolchain/project.ts";

/** Distinguishes this clone, because another one may run the same tests on this host. */
export const clone = createHash("sha256").update(projectRoot).digest();

/** What this clone's things outside of a lab are called. */
export const outside = `outside-${clone.toString("hex", 0, 2)}`;

export const imagesFolder = `/var/lib/libvirt/images/${outside}`;
