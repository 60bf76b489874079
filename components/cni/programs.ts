import { flannelPrograms } from "./flannel/release.ts";
import { ovnKubernetesPrograms } from "./ovn-kubernetes/release.ts";
import type { PublishedProgram } from "./published-program.ts";

const programs = { ...flannelPrograms, ...ovnKubernetesPrograms } as const;

export type PodNetworkProgram = keyof typeof programs;

/** The programs that pod networks have on Windows nodes, by names that are unique among all of them. */
export const podNetworkPrograms: Readonly<Record<PodNetworkProgram, PublishedProgram>> = programs;
