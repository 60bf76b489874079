import { podNetworks } from "../../components/cni/pod-networks.ts";
import { machineMakers } from "../../components/machine/machine-makers.ts";
import { fabrics } from "../../components/network/fabric/fabrics.ts";
import type { Check } from "../problem.ts";
import { checksumsUsed, rehearsalChecksums } from "../sections/checksums.ts";
import { certificatesOnce } from "../sections/ca-certificates.ts";
import { programsChecks } from "../sections/own-programs.ts";
import { scriptsChecks } from "../sections/own-scripts.ts";
import { archivesOnce, imageOfVersion } from "../sections/cluster.ts";
import { apiServerReached } from "../sections/api-server.ts";
import { patchesFit } from "../sections/kind-patches.ts";
import { linuxImage } from "../sections/linux.ts";
import { stackAsLab } from "../sections/lab.ts";
import { defaultBridgeLength } from "../sections/network.ts";
import { nodeTaints } from "../sections/node-registration.ts";
import { nodeIps } from "../sections/nodes.ts";
import { registryChecks } from "../sections/registry.ts";
import { windowsChecks } from "../sections/windows.ts";
import type { NamedSettings } from "../settings.ts";
import { connectedHosts } from "./fabric.ts";
import {
  hypervisorsApart,
  placedSomewhere,
  placedWithin,
  spreadBySomething,
} from "./hypervisors.ts";
import {
  linuxMachines,
  linuxNames,
  macAddresses,
  machineSizes,
  nodeAddresses,
  windowsNames,
} from "./nodes.ts";
import { ownMachinesChecks } from "./own-machines.ts";
import { usedNetworkChecks } from "./used-network.ts";
import { rangesApart, rangeSizes, rangesUsable } from "./ranges.ts";

export const checks: readonly Check<NamedSettings>[] = [
  stackAsLab,
  defaultBridgeLength,
  imageOfVersion,
  archivesOnce,
  patchesFit,
  apiServerReached,
  ...usedNetworkChecks,
  ...rangesUsable,
  ...rangeSizes,
  ...rangesApart,
  ...windowsChecks,
  rehearsalChecksums,
  ...Object.values(podNetworks).flatMap(
    (network): readonly Check<NamedSettings>[] => network.checks,
  ),
  checksumsUsed,
  ...programsChecks,
  certificatesOnce,
  ...registryChecks,
  ...scriptsChecks,
  hypervisorsApart,
  ...Object.values(machineMakers).flatMap((maker): readonly Check<NamedSettings>[] => maker.checks),
  placedSomewhere,
  spreadBySomething,
  placedWithin,
  connectedHosts,
  ...Object.values(fabrics).flatMap((fabric) => fabric.checks),
  machineSizes,
  linuxImage,
  ...linuxMachines,
  linuxNames,
  windowsNames,
  macAddresses,
  nodeAddresses,
  nodeTaints,
  nodeIps,
  ...ownMachinesChecks,
];
