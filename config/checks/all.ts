import { calicoTestedWith } from "../supported.ts";
import { calicoKubernetes, calicoOnWindows } from "./calico-on-windows.ts";
import type { Check } from "./check.ts";
import { defaultBridgeLength } from "./default-bridge.ts";
import { hyperVGeneration, hyperVWithWindows } from "./hyper-v.ts";
import { imageAccount } from "./image-account.ts";
import {
  hypervisorsApart,
  placedSomewhere,
  placedWithin,
  spreadBySomething,
} from "./hypervisors.ts";
import { flannelOnWindows } from "./flannel-on-windows.ts";
import { imageMedia } from "./image-media.ts";
import { machineSizes } from "./machine-sizes.ts";
import { linuxMachines } from "./linux-machines.ts";
import { nodeAddresses } from "./node-addresses.ts";
import { nodeIps } from "./node-ips.ts";
import { linuxNames, windowsNames } from "./node-names.ts";
import { nodeTaints } from "./node-taints.ts";
import { dnsServersOnce } from "./dns-servers.ts";
import { proxySet } from "./proxy-set.ts";
import { rangeSizes } from "./range-sizes.ts";
import { rangesApart } from "./ranges-apart.ts";
import { rangesUsable } from "./ranges-usable.ts";
import { rehearsalImage } from "./rehearsal-image.ts";
import { flannelChecksums, rehearsalChecksums } from "./rehearsal-checksums.ts";
import { stackAsLab } from "./stack-as-lab.ts";
import { windowsWithCalico } from "./windows-with-calico.ts";

/** Every cross-check, in the order its problems are told. */
export const checks: readonly Check[] = [
  stackAsLab,
  defaultBridgeLength,
  ...rangesUsable,
  ...rangeSizes,
  ...rangesApart,
  windowsWithCalico,
  calicoKubernetes(calicoTestedWith),
  ...calicoOnWindows,
  flannelOnWindows,
  rehearsalImage,
  ...imageMedia,
  imageAccount,
  proxySet,
  dnsServersOnce,
  rehearsalChecksums,
  flannelChecksums,
  hypervisorsApart,
  hyperVWithWindows,
  hyperVGeneration,
  placedSomewhere,
  spreadBySomething,
  placedWithin,
  machineSizes,
  ...linuxMachines,
  linuxNames,
  windowsNames,
  nodeAddresses,
  nodeTaints,
  nodeIps,
];
