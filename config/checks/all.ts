import { podNetworks } from "../../components/cni/registry.ts";
import type { MachineMaker } from "../../components/machine/machine-maker.ts";
import { machineMakers } from "../../components/machine/registry.ts";
import type { Check } from "../problem.ts";
import { linuxImage } from "../sections/linux.ts";
import { stackAsLab } from "../sections/lab.ts";
import { defaultBridgeLength } from "../sections/network.ts";
import { nodeTaints } from "../sections/node-registration.ts";
import { nodeIps } from "../sections/nodes.ts";
import { windowsChecks } from "../sections/windows.ts";
import type { NamedSettings } from "../settings.ts";
import {
  hypervisorsApart,
  placedSomewhere,
  placedWithin,
  spreadBySomething,
} from "./hypervisors.ts";
import { linuxMachines } from "./linux-machines.ts";
import { machineSizes } from "./machine-sizes.ts";
import { nodeAddresses } from "./node-addresses.ts";
import { linuxNames, windowsNames } from "./node-names.ts";
import { podNetworkPrograms } from "./pod-network-programs.ts";
import { rangeSizes } from "./range-sizes.ts";
import { rangesApart } from "./ranges-apart.ts";
import { rangesUsable } from "./ranges-usable.ts";

/** Every check of a lab, including those of single sections, in the order of their problems. */
export const checks: readonly Check<NamedSettings>[] = [
  stackAsLab,
  defaultBridgeLength,
  ...rangesUsable,
  ...rangeSizes,
  ...rangesApart,
  ...windowsChecks,
  ...Object.values(podNetworks).flatMap((network) => network.checks),
  podNetworkPrograms,
  hypervisorsApart,
  ...Object.values<MachineMaker>(machineMakers).flatMap((maker) => maker.checks),
  placedSomewhere,
  spreadBySomething,
  placedWithin,
  machineSizes,
  linuxImage,
  ...linuxMachines,
  linuxNames,
  windowsNames,
  nodeAddresses,
  nodeTaints,
  nodeIps,
];
