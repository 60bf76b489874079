import { mediumNames } from "../../components/windows/software.ts";

/** A part of a machine's way to a Ready node, as a user knows it. */
export interface Stage {
  /** What the machine does meanwhile, after its name and "now": "boots". */
  readonly doing: string;
  /** The same as a noun, for the account at the end: "boot". */
  readonly noun: string;
  /** Ends of the names of the resources that are made in it, after the node's name; empty: the resource named so itself. */
  readonly resources: readonly string[];
}

/** All stages, in their order. */
export const stages: readonly Stage[] = [
  {
    doing: "gets its disk",
    noun: "disk",
    resources: ["-host-key", "-identity", "-disk", "-reservation", ""],
  },
  { doing: "boots", noun: "boot", resources: ["-home", "-steps"] },
  {
    doing: "is looked at",
    noun: "host check",
    resources: ["-test-windowshost", "-prepare-host"],
  },
  {
    doing: "gets the feature Containers",
    noun: "feature",
    resources: ["-enable-containersfeature"],
  },
  { doing: "comes back from its reboot", noun: "reboot", resources: ["-confirm-reboot"] },
  { doing: "gets its proxy", noun: "proxy", resources: ["-set-machineproxy"] },
  {
    doing: "gets its programs",
    noun: "programs",
    resources: [
      ...mediumNames.map((name) => `-push-${name.toLowerCase()}`),
      // A Linux machine's, all in one.
      "-push-programs",
    ],
  },
  { doing: "gets containerd", noun: "containerd", resources: ["-install-containerd"] },
  { doing: "unpacks its programs", noun: "unpacking", resources: ["-install-programs"] },
  { doing: "gets kubelet", noun: "kubelet", resources: ["-install-kubernetes"] },
  { doing: "gets Flannel", noun: "Flannel", resources: ["-install-flannel"] },
  {
    // Calico's; Flannel's is made during the join.
    doing: "gets its pods' network",
    noun: "network",
    resources: ["-add-externalnetwork", "-confirm-externalnetwork"],
  },
  { doing: "joins the cluster", noun: "join", resources: ["-set-hostsentry", "-join-node"] },
  { doing: "gets its routes", noun: "routes", resources: ["-set-clusterroute"] },
  { doing: "becomes Ready", noun: "Ready", resources: ["-registration", "-ready"] },
];

/** The resource with which a node is there. */
export const lastResource = "-ready";
