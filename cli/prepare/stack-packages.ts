import type { Settings } from "../../config/settings.ts";
import type { Progress } from "../../toolchain/artifact.ts";
import { dockerState, libvirtState, type DaemonState } from "../../toolchain/daemon-state.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { requiredPackages } from "../../toolchain/host-requirements.ts";

/** Which daemons answer on this host. */
export interface Daemons {
  readonly docker: DaemonState;
  readonly libvirt: DaemonState;
}

/**
 * Installs the packages that a stack's lab needs on this host, and further ones, all at once, so that a user who may not
 * install them gets one message.
 *
 * @returns the daemons' state before.
 * @throws with the command to run if this process may not or cannot install them.
 */
export async function ensureStackPackages(
  settings: Pick<Settings, "hypervisor">,
  more: readonly string[],
  say: Progress,
): Promise<Daemons> {
  const [docker, libvirt] = await Promise.all([
    dockerState(),
    libvirtState(settings.hypervisor.uri),
  ]);
  await ensureHostPackages([...requiredPackages(settings, { docker, libvirt }), ...more], say);
  return { docker, libvirt };
}
