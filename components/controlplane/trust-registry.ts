import { localRegistry } from "../../config/local-registry.ts";
import { docker } from "../../host/docker.ts";
import { say } from "../host-action/run-action.ts";
import { registryHosts } from "../node/registry-hosts.ts";

/**
 * Where containerd reads before each pull where a registry is. It is the first of two folders of its default, which works in
 * kind's node images: they discard unpacked layers, so they do not pull by the transfer service (containerd/containerd#12808).
 */
const folder = `/etc/containerd/certs.d/${localRegistry.host}`;

/** Longest run in one container, in seconds. */
const seconds = 60;

/**
 * Makes nodes in containers find the lab's registry.
 *
 * @param address with its port; undefined: they no longer do.
 */
export async function trustRegistry(
  nodes: readonly string[],
  address: string | undefined,
): Promise<void> {
  await Promise.all(
    nodes.map(async (node) => {
      say(
        `${node} ${address === undefined ? "forgets" : "gets"} the registry ${localRegistry.host}`,
      );
      const script =
        address === undefined
          ? `rm -rf ${folder}`
          : `mkdir -p ${folder} && cat >${folder}/hosts.toml`;
      await docker(["exec", "--interactive", node, "sh", "-c", script], {
        input: address === undefined ? "" : registryHosts(address),
        timeoutSeconds: seconds,
      });
    }),
  );
}
