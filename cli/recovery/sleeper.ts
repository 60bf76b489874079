import type { Host } from "../lab/host.ts";

/** One thing that stands still. */
export interface Idle {
  readonly name: string;
  /** What was seen, beyond that it does not run. */
  readonly seen?: string;
  /** What a person has to do before it can be started; where this is said, nothing tries to. */
  readonly first?: string;
}

/** One kind of what a lab has on a host and what may stand still, and what it takes to get it going. */
export interface Sleeper {
  readonly kind: string;
  /** What is done about it, in the infinitive, and that it was done. Default: `start`, `started`. */
  readonly verb?: readonly [infinitive: string, past: string];
  readonly idle: (host: Host, lab: string) => Promise<readonly Idle[]>;
  readonly start: (host: Host, name: string, lab: string) => Promise<void>;
}
