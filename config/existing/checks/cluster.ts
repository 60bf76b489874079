import { parseRange } from "../../ipv4.ts";
import type { ExistingCheck } from "../check.ts";
import type { SettingsProblem } from "../../problem.ts";

/** The kubeconfig comes from one place. */
export const oneKubeconfig: ExistingCheck = {
  reads: ["cluster.kubeconfig.file", "cluster.kubeconfig.text"],
  run({ cluster: { kubeconfig } }): SettingsProblem[] {
    const { file, text } = kubeconfig;
    const path = ["cluster", "kubeconfig"];
    if (file === undefined && text === undefined) {
      const instead = "Write file, its absolute path, or text, its content as a secret.";
      return [{ path, value: undefined, why: "names no kubeconfig", instead }];
    }
    return file !== undefined && text !== undefined
      ? [{ path, value: undefined, why: "has file and text", instead: "Keep one of them." }]
      : [];
  },
};

/** A hosts entry is for a name, and each name has one. */
export const hostsEntries: ExistingCheck = {
  reads: [],
  run: ({ cluster }) =>
    cluster.hostsEntries.flatMap(({ name }, index): SettingsProblem[] => {
      const path = ["cluster", "hostsEntries", index, "name"];
      if (/^[\d.]+$/.test(name)) {
        const why = "is an address, which needs no entry";
        return [{ path, value: name, why, instead: "Write a name, or leave the entry out." }];
      }
      const first = cluster.hostsEntries.findIndex((one) => one.name === name);
      return first < index
        ? [{ path, value: name, why: "is there twice", instead: "Leave one of them out." }]
        : [];
    }),
};

/** Pods and services do not share addresses. */
export const rangesApart: ExistingCheck = {
  reads: ["cluster.podCidr", "cluster.serviceCidr"],
  run({ cluster: { podCidr, serviceCidr } }): SettingsProblem[] {
    const [pods, services] = [podCidr, serviceCidr].map((one) => one && parseRange(one));
    const overlap = pods && services && pods.first <= services.last && services.first <= pods.last;
    return overlap
      ? [
          {
            path: ["cluster", "serviceCidr"],
            value: serviceCidr,
            why: `overlaps kindows:cluster.podCidr, ${podCidr ?? ""}`,
            instead: "Write both as the cluster has them, or leave them out.",
          },
        ]
      : [];
  },
};

/** Flannel's files on a Windows machine name the nodes' own range. */
export const flannelRange: ExistingCheck = {
  reads: ["cni.nodeCidr"],
  run: ({ cni }) =>
    cni.kind === "flannel" && cni.nodeCidr === undefined
      ? [
          {
            path: ["cni", "nodeCidr"],
            value: undefined,
            why: "is missing",
            instead: "Add it: the IPv4 range of the nodes' own addresses, which Flannel needs.",
          },
        ]
      : [],
};
