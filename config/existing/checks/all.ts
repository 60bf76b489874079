import { inExisting } from "../../../components/cni/registry.ts";
import type { Check } from "../../problem.ts";
import { existingWindowsChecks } from "../../sections/windows.ts";
import { clusterChecks } from "../cluster.ts";
import { nodesChecks } from "../nodes.ts";
import type { WrittenExisting } from "../settings.ts";
import { bastionApart, eachBastionOnce, forwardPortsApart, forwardPortUsed } from "./bastions.ts";
import { oneWayEach, someWay } from "./logins.ts";

/** Every check of a stack of existing machines, in the order of their problems. */
export const existingChecks: readonly Check<WrittenExisting>[] = [
  ...clusterChecks,
  ...existingWindowsChecks,
  oneWayEach,
  eachBastionOnce,
  forwardPortUsed,
  ...nodesChecks,
  ...[...inExisting.values()].flatMap((network) => network.checks),
  someWay,
  bastionApart,
  forwardPortsApart,
];
