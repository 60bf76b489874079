import {
  type FakeJoin,
  type FakeNode,
  RecordingCluster,
} from "../../../../rehearsal/host/fake/fake-cluster.ts";
import type { MachineTime } from "../../../../rehearsal/host/machine-time.ts";

/** A cluster that can be away, or refuse a join, until it is mended. */
export class FaultyCluster extends RecordingCluster {
  /** How long it is away from the first look on, in seconds of the machine's time. */
  awaySeconds = 0;
  /** What kubeadm complains of. */
  refusal: string | undefined;
  /** Names under which nodes have registered, in their order: more than one would be a second Node. */
  readonly registered: string[] = [];
  readonly #time: MachineTime;
  #awaySince: number | undefined;

  constructor(time: MachineTime) {
    super();
    this.#time = time;
  }

  mend(): void {
    this.awaySeconds = 0;
    this.refusal = undefined;
  }

  override connect(): Promise<undefined> {
    return Promise.resolve(this.#isAway() ? ("connection refused" as never) : undefined);
  }

  override serverTime(): Promise<Date | undefined> {
    return Promise.resolve(this.#isAway() ? undefined : new Date());
  }

  override authorize(join?: FakeJoin): Promise<void> {
    if (this.#isAway()) return Promise.reject(new Error("connection refused"));
    if (this.refusal !== undefined) return Promise.reject(new Error(this.refusal));
    return join === undefined ? Promise.resolve() : super.authorize();
  }

  override register(node: FakeNode): Promise<void> {
    this.registered.push(node.name);
    return super.register(node);
  }

  #isAway(): boolean {
    if (this.awaySeconds === 0) return false;
    this.#awaySince ??= this.#time.elapsed();
    return this.#time.elapsed() - this.#awaySince < this.awaySeconds * 1000;
  }
}
