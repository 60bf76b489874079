import type * as pulumi from "@pulumi/pulumi";
import type { Arguments, Parameters, WindowsScript } from "../../host/ssh/windows-command.ts";
import type { Joining } from "../node/joining-machine.ts";
import type { StepTitle } from "../node/step-title.ts";
import type { HostRequirements } from "./host-requirements.ts";
import type { NodeSetup } from "./node-setup.ts";
import type { OwnScript } from "./own-scripts.ts";
import type { ProgramName, WindowsSoftware } from "./software.ts";

/** Time limits that differ between labs, in seconds. */
export interface NodeTimeouts {
  /** From the start of a machine until it answers SSH, and again for a reboot. */
  readonly bootSeconds: number;
  /** For the join as a whole, including kubeadm's own waits. */
  readonly joinSeconds: number;
  /** From the join until the node is Ready, which needs the pod network on it. */
  readonly readySeconds: number;
}

/** A first boot of Windows takes up to 15 minutes without KVM; Calico's own tests allow 600 s for its Windows pods. */
export const defaultTimeouts: NodeTimeouts = {
  bootSeconds: 1200,
  joinSeconds: 300,
  readySeconds: 900,
};

/** A PowerShell script that runs on Windows machines. */
export interface Script<P extends Parameters = Parameters> extends WindowsScript<P> {
  /** Sum of the script's own time limits, in seconds. */
  readonly seconds: number | ((timeouts: NodeTimeouts) => number);
}

/**
 * Seconds until a reboot or a cut of the network that a step has ordered. The session that orders it must return its
 * result and end before, even on a slow machine.
 */
export const sessionEndSeconds = 15;

/** Longest waits, in seconds: for another script to end (lib/Step.ps1), and for the connection. */
const lockSeconds = 240;
const connectSeconds = 60;

/** Pulumi's time limit for a script, in seconds; the script's own limits are shorter. */
export function scriptSeconds(
  { seconds }: Pick<Script, "seconds">,
  timeouts: NodeTimeouts = defaultTimeouts,
): number {
  const own = typeof seconds === "number" ? seconds : seconds(timeouts);
  return connectSeconds + lockSeconds + own;
}

export interface ClusterRoute {
  /** IPv4 range of pods or Services, in CIDR form. */
  readonly range: string;
  /** IPv4 address of a Linux node on the machine's segment, which forwards packets. */
  readonly nextHop: string;
}

/** A machine that becomes a node, with its settings, from which the steps take their values. */
export interface JoiningNode extends Joining {
  readonly software: WindowsSoftware;
  readonly setup: NodeSetup;
  readonly requirements: HostRequirements;
  readonly timeouts: NodeTimeouts;
  /** Undefined: the pod network provides the routes. */
  readonly routes: pulumi.Output<readonly ClusterRoute[]> | undefined;
  /** Address and port at which the machine finds the lab's registry. Undefined: there is none. */
  readonly registry: pulumi.Output<string> | undefined;
  /** SHA-256 of programs in lower case; empty for a missing program. Unknown in a preview if it is not pinned yet. */
  readonly checksums: <Name extends ProgramName>(
    ...names: readonly Name[]
  ) => pulumi.Output<Readonly<Record<Name, string>>>;
}

/** One step of turning a machine into a Windows node. */
export interface NodeStep<P extends Parameters = Parameters> extends Script<P> {
  /** What the machine does during the step, as `up` reports it. */
  readonly title: StepTitle;
  /** Arguments of the script; undefined if this machine skips the step. */
  readonly values: (
    node: JoiningNode,
  ) => pulumi.Input<{ readonly [Name in keyof P]: pulumi.Input<Arguments<P>[Name]> }> | undefined;
  /** Standard input, passed as JSON; secret. */
  readonly stdin?: (node: JoiningNode) => pulumi.Inputs;
  /** Programs that must be on the machine before, in its image or pushed. */
  readonly programs?: readonly ProgramName[];
  /** Which scripts of the user's must be on the machine before. */
  readonly scripts?: OwnScript["when"];
  /** Whether the step waits for the control plane. */
  readonly needsCluster?: true;
  /**
   * Parameters that say which programs pods depend on. The script reports them as facts, and a node is drained before an
   * update with others.
   */
  readonly drains?: readonly (keyof P & string)[];
  /** How the step is undone if the machine stays: by its own script with other values, or by another script. */
  readonly undo?: { readonly script?: undefined; readonly values: Arguments<P> } | UndoneBy;
}

export interface UndoneBy {
  readonly script: Script;
  readonly values: Readonly<Record<string, string | number>>;
}

export function nodeStep<const P extends Parameters>(step: NodeStep<P>): NodeStep<P> {
  return step;
}

export function script<const P extends Parameters>(definition: Script<P>): Script<P> {
  return definition;
}
