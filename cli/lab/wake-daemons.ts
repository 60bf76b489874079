import { dockerState, libvirtState } from "../../toolchain/daemon-state.ts";
import { ensureDocker, ensureLibvirt } from "../../toolchain/daemons.ts";
import { findOnPath } from "../../host/search-path.ts";

/**
 * Starts Docker and libvirt where they are installed and do not run: what a lab left can only be removed through them.
 *
 * @throws when one of them cannot be started, or does not talk to this user.
 */
export async function wakeDaemons(libvirtUri: string, say: (line: string) => void): Promise<void> {
  const [docker, libvirt] = await Promise.all([dockerState(), libvirtState(libvirtUri)]);
  const searchPath = process.env["PATH"] ?? "";
  if (docker.kind !== "running" && (await findOnPath("dockerd", searchPath)) !== undefined) {
    await ensureDocker(docker, { progress: say });
  }
  if (libvirt.kind !== "running" && (await findOnPath("libvirtd", searchPath)) !== undefined) {
    await ensureLibvirt(libvirtUri, libvirt, say);
  }
}
