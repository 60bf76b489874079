import type { Settings } from "../../config/settings.ts";
import type { Progress } from "../../toolchain/artifact.ts";
import { dockerState, libvirtState, type DaemonState } from "../../toolchain/daemon-state.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { requiredPackages } from "../../toolchain/host-requirements.ts";

/**
 * Installs the packages that a stack's lab needs on this host, and further ones, all at once, so that a user who may
 * not install them gets one message.
 *
 * @returns the daemons' state before the installation.
 */
export async function ensureStackPackages(
  settings: Pick<Settings, "hypervisor">,
  more: readonly string[],
  say: Progress,
): Promise<Readonly<Record<"docker" | "libvirt", DaemonState>>> {
  const { uri } = settings.hypervisor;
  const [docker, libvirt] = await Promise.all([dockerState(), libvirtState(uri)]);
  await ensureHostPackages([...requiredPackages(settings, { docker, libvirt }), ...more], say);
  return { docker, libvirt };
}
