import type { Check } from "../../problem.ts";
import { existingWindowsChecks } from "../../sections/windows.ts";
import { clusterChecks } from "../cluster.ts";
import { flannelRange } from "../cni.ts";
import { nodesChecks } from "../nodes.ts";
import type { WrittenExisting } from "../settings.ts";
import { bastionApart, eachBastionOnce, forwardPortsApart, forwardPortUsed } from "./bastions.ts";
import { flannelRangeHolds } from "./flannel-range.ts";
import { oneWayEach, someWay } from "./logins.ts";

/** Every check of a stack of existing machines, in the order its problems are told. */
export const existingChecks: readonly Check<WrittenExisting>[] = [
  ...clusterChecks,
  flannelRange,
  ...existingWindowsChecks,
  oneWayEach,
  eachBastionOnce,
  forwardPortUsed,
  ...nodesChecks,
  flannelRangeHolds,
  someWay,
  bastionApart,
  forwardPortsApart,
];
