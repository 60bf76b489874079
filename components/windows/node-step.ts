import type * as pulumi from "@pulumi/pulumi";
import type { JoiningMachine } from "../node/joining-machine.ts";
import type { StepTitle } from "../node/step-title.ts";
import type { HostRequirements } from "./host-requirements.ts";
import type { NodeSetup } from "./node-setup.ts";
import type { ProgramName, WindowsSoftware } from "./software.ts";

/** How long may be waited for what differs from lab to lab; all in seconds. */
export interface NodeTimeouts {
  /** From the start of a machine until it answers SSH, and again for a reboot. */
  readonly bootSeconds: number;
  /** For the join as a whole; kubeadm's own waits are bounded by it. */
  readonly joinSeconds: number;
  /** From the join until the node is Ready: the pod network has to come up on it first. */
  readonly readySeconds: number;
}

/** A first boot of Windows takes up to 15 minutes without KVM; Calico's own tests allow 600 s for its Windows pods. */
export const defaultTimeouts: NodeTimeouts = {
  bootSeconds: 1200,
  joinSeconds: 300,
  readySeconds: 900,
};

/**
 * Parameters of a script, by the names and in the order of its `param()` block; what they mean, their units and their
 * sources stand in the script's help (`Get-Help .\Join-Node.ps1 -Full`).
 *
 * `int` is a whole number, `string` any text a command line can carry.
 */
export type Parameters = Readonly<Record<string, "string" | "int">>;

/** Values for all parameters: none is left to the script's default, so that a diff shows every change. */
export type Arguments<P extends Parameters> = {
  readonly [Name in keyof P]: { string: string; int: number }[P[Name]];
};

/** A PowerShell script that runs on Windows machines. */
export interface Script<P extends Parameters = Parameters> {
  /** Name of its file, without `.ps1`. */
  readonly name: string;
  readonly parameters: P;
  /** Seconds it may take by its own limits: their sum. */
  readonly seconds: number | ((timeouts: NodeTimeouts) => number);
}

/** What a script waits at most for another one to end (lib/Step.ps1), and a connection to be made. */
const lockSeconds = 240;
const connectSeconds = 60;

/** Seconds after which a script is given up; it ends earlier by its own limits. */
export function scriptSeconds(
  { seconds }: Pick<Script, "seconds">,
  timeouts: NodeTimeouts = defaultTimeouts,
): number {
  const own = typeof seconds === "number" ? seconds : seconds(timeouts);
  return connectSeconds + lockSeconds + own;
}

/** A way to one of the cluster's ranges. */
export interface ClusterRoute {
  /** IPv4 range in CIDR form: of pods, or of Services. */
  readonly range: string;
  /** IPv4 address of a Linux node on a segment of the machine, which carries packets on. */
  readonly nextHop: string;
}

/** A machine on its way to a node, and what is wanted of it: what the values of steps are made of. */
export interface JoiningNode extends Required<Omit<JoiningMachine, "podNetwork" | "nodeIp">> {
  readonly nodeIp: pulumi.Output<string>;
  readonly software: WindowsSoftware;
  readonly setup: NodeSetup;
  readonly requirements: HostRequirements;
  readonly timeouts: NodeTimeouts;
  /** Undefined: the pod network brings them. */
  readonly routes: pulumi.Output<readonly ClusterRoute[]> | undefined;
  /** SHA-256 of programs in lower case; empty for one that the software has not. Not known in a preview where nobody has pinned one. */
  readonly checksums: <Name extends ProgramName>(
    ...names: readonly Name[]
  ) => pulumi.Output<Readonly<Record<Name, string>>>;
}

/** One step of a machine's way to a Windows node. */
export interface NodeStep<P extends Parameters = Parameters> extends Script<P> {
  /** What the machine does meanwhile, as `up` tells it. */
  readonly title: StepTitle;
  /** What the script is called with; undefined: this machine goes without the step. */
  readonly values: (
    node: JoiningNode,
  ) => pulumi.Input<{ readonly [Name in keyof P]: pulumi.Input<Arguments<P>[Name]> }> | undefined;
  /** Standard input, as JSON; it is kept secret. */
  readonly stdin?: (node: JoiningNode) => pulumi.Inputs;
  /** Programs that must be on the machine before, carried by its image or pushed. */
  readonly programs?: readonly ProgramName[];
  /** Whether the control plane must be there before. */
  readonly needsCluster?: true;
  /** Whether it replaces programs that pods live on: a node that is up is drained before another version of them. */
  readonly drains?: true;
  /** What undoes it where the machine stays: its own script with other values, or another one. */
  readonly undo?: { readonly script?: undefined; readonly values: Arguments<P> } | UndoneBy;
}

/** Another script that undoes a step. */
export interface UndoneBy {
  readonly script: Script;
  readonly values: Readonly<Record<string, string | number>>;
}

/** A step, its values checked by its parameters. */
export function nodeStep<const P extends Parameters>(step: NodeStep<P>): NodeStep<P> {
  return step;
}

/** A script that is no step of the way. */
export function script<const P extends Parameters>(one: Script<P>): Script<P> {
  return one;
}
