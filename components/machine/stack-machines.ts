import type { HostProblem } from "../../config/host-problem.ts";
import type { LocalPort } from "../../host/local-port.ts";
import type { HostResource, KnownResource } from "../host-resource.ts";

export interface SeenMachine {
  readonly node: string;
  /** What its maker says of it, e.g. `Running` or `Scheduling`. */
  readonly state: string;
  /** Where it runs, e.g. a node of the KubeVirt cluster. */
  readonly host: string;
  readonly address: string;
  /** Why it does not run or has no address, in the words of where it runs. */
  readonly trouble?: string;
}

/** The machines that a maker has made for a stack, as the commands see them. */
export interface StackMachines {
  readonly lab: { readonly prefix: string };
  /** The API server of the cluster that they run on. */
  readonly server: string;
  /** The machines of the settings, and others of the lab that exist. */
  seen(): Promise<SeenMachine[]>;
  /** A local port that leads to a machine's screen. @param failed is told why a connection to it ended. */
  screen(node: string, failed: (why: string) => void): Promise<LocalPort>;
  /** A picture of a machine's screen, as PNG. */
  screenshot(node: string): Promise<Buffer>;
  /** What would be in the way of making machines there. */
  problems(): Promise<HostProblem[]>;
  /** What has the lab's name, but is not in the state. */
  leftOver(resources: readonly KnownResource[]): Promise<HostResource[]>;
  /** Removes what `leftOver` returned, and nothing else of the same name. Succeeds if it is gone. */
  remove(thing: HostResource): Promise<void>;
  /** URNs of machines in the state that no longer exist. */
  gone(resources: readonly KnownResource[]): Promise<string[]>;
}
