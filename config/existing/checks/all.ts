import { nodeTaints } from "../../checks/node-taints.ts";
import { dnsServersOnce } from "../../checks/dns-servers.ts";
import { proxySet } from "../../checks/proxy-set.ts";
import type { ExistingCheck } from "../check.ts";
import { addressRegisters, flannelRangeHolds } from "./addresses.ts";
import { bastionApart, eachBastionOnce, forwardPortsApart, forwardPortUsed } from "./bastions.ts";
import { flannelRange, hostsEntries, oneKubeconfig, rangesApart } from "./cluster.ts";
import { oneWayEach, someWay } from "./logins.ts";
import { machinesApart, onlyWindows } from "./machines.ts";

/** Every cross-check, in the order its problems are told. */
export const existingChecks: readonly ExistingCheck[] = [
  oneKubeconfig,
  hostsEntries,
  rangesApart,
  flannelRange,
  proxySet,
  dnsServersOnce,
  oneWayEach,
  eachBastionOnce,
  forwardPortUsed,
  onlyWindows,
  machinesApart,
  addressRegisters,
  flannelRangeHolds,
  someWay,
  bastionApart,
  forwardPortsApart,
  nodeTaints,
];
