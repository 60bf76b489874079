/** `make sdk` writes sdks/libvirt; with `--check` it only compares, and fails if a file differs. */
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { projectRoot } from "../project.ts";
import { differingFiles, generateLibvirtSdk } from "./generate-sdk.ts";

const target = path.join(projectRoot, "sdks", "libvirt");
const fresh = await mkdtemp(path.join(os.tmpdir(), "kindows-sdk-"));
try {
  await generateLibvirtSdk(fresh);
  const differing = await differingFiles(fresh, target);
  if (differing.length === 0) {
    process.stderr.write("sdks/libvirt is what the pinned provider gives\n");
  } else if (process.argv.includes("--check")) {
    process.stderr
      .write(`sdks/libvirt is not what the pinned provider gives: ${differing.join(", ")}
run \`make sdk\` and commit it\n`);
    process.exitCode = 1;
  } else {
    for (const name of await readdir(target)) {
      await rm(path.join(target, name), { recursive: true });
    }
    await cp(fresh, target, { recursive: true });
    process.stderr.write(`sdks/libvirt regenerated: ${differing.join(", ")}\n`);
  }
} finally {
  await rm(fresh, { recursive: true, force: true });
}
