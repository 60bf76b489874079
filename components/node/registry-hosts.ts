/**
 * What containerd on a Linux node, in a container or a machine, reads before each pull to find the lab's registry, which
 * serves without TLS. On Windows it is one of several registries with mirrors (windows/steps/lib/Containerd.ps1).
 *
 * @param address with its port.
 */
export function registryHosts(address: string): string {
  return `[host."http://${address}"]\n  capabilities = ["pull", "resolve"]\n`;
}
