import type { Group } from "./planned.ts";

/** A machine: its disk, its identity disc, and its domain. */
export function machineOf(node: string, { real = false } = {}): Group {
  return {
    title: `the machine ${node}`,
    names: [
      `Volume ${node}`,
      `CloudinitDisk ${node}-identity`,
      ...(real ? [`Command ${node}-identity-closed`] : []),
      `Domain ${node}`,
    ],
  };
}

/** A node's token and the resources that act on its machine, from the first copy to Ready. */
export function joinOf(node: string, more: readonly string[] = []): Group {
  const steps = [
    ...["test-windowshost", "enable-containersfeature", "confirm-reboot", "install-containerd"],
    ...["install-kubernetes", "set-hostsentry", "join-node", "ready"],
  ];
  return {
    title: `all of ${node}'s join`,
    names: [
      `Action ${node}-token`,
      `CopyToRemote ${node}-home`,
      `Command ${node}-steps`,
      ...steps.map((step) => `Command ${node}-${step}`),
      `Action ${node}-registration`,
      ...more,
    ],
  };
}

/** The same for a Linux machine. */
export function linuxJoinOf(node: string): Group {
  const copied = ["steps", "push-programs"].map((name) => `CopyToRemote ${node}-${name}`);
  const steps = ["prepare-host", "install-programs", "join-node", "ready"];
  return {
    title: `all of ${node}'s join`,
    names: [
      ...["token", "registration"].map((name) => `Action ${node}-${name}`),
      ...copied,
      ...steps.map((step) => `Command ${node}-${step}`),
    ],
  };
}
