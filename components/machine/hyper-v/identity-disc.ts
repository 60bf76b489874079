import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { installText, thisPackageManager } from "../../../toolchain/host-packages.ts";
import { runProgram } from "../../../host/run-program.ts";
import type { IdentityParameter } from "./parameters.ts";

/** cloud-init's NoCloud form, by whose name the image's scripts find it. */
const label = "cidata";
const timeoutSeconds = 60;

/**
 * The disc that tells a machine who it is, as an ISO image: made as libvirt's provider makes its own
 * (libvirt/cloudinit_def.go of 0.8.3). What it is made of is gone from this host afterwards.
 *
 * @throws where mkisofs is missing or fails; never with what is on the disc.
 */
export async function identityDisc({ userData, metaData }: IdentityParameter): Promise<Buffer> {
  // mkdtemp makes it for its owner alone.
  const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-identity-"));
  try {
    const [user, meta] = [path.join(folder, "user-data"), path.join(folder, "meta-data")];
    await writeFile(user, userData, { mode: 0o600 });
    await writeFile(meta, metaData, { mode: 0o600 });
    const iso = path.join(folder, "identity.iso");
    const names = ["-output", iso, "-volid", label, "-joliet", "-rock"];
    const { how, reason } = await runProgram("mkisofs", [...names, user, meta], timeoutSeconds);
    if (how !== "well") {
      const install = installText(await thisPackageManager(), ["genisoimage"]);
      throw new Error(`the identity disc cannot be made: ${reason} (${install})`);
    }
    return await readFile(iso);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
