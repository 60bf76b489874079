import type { MachineTime } from "../../rehearsal/host/machine-time.ts";

/** A join as the fake kubeadm reads it from its JoinConfiguration. */
export interface FakeJoin {
  readonly endpoint: string;
  readonly token: string;
  /** `sha256:<hex>` of the CA's public key. */
  readonly caCertHashes: readonly string[];
}

/** A node as the fake kubelet's command line describes it. */
export interface FakeNode {
  readonly name: string;
  readonly address: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `key=value:Effect`. */
  readonly taints: readonly string[];
  readonly kubeletVersion: string;
}

export interface FakeCluster {
  /** Whether the API server takes a TCP connection; what went wrong, or undefined. */
  connect(host: string, port: number, timeoutSeconds: number): Promise<string | undefined>;
  /** The API server's time; undefined where it does not tell. */
  serverTime(host: string, port: number, timeoutSeconds: number): Promise<Date | undefined>;
  /** The discovery and TLS bootstrap of a join; an error is what kubeadm would complain about. */
  authorize(join: FakeJoin): Promise<void>;
  /** Called each time the fake kubelet starts; the node may be there already. */
  register(node: FakeNode): Promise<void>;
}

/** A cluster that is not there: well-formed joins succeed, unless it is away or has refusals, and can be looked at. */
export class RecordingCluster implements FakeCluster {
  readonly nodes: FakeNode[] = [];
  readonly joins: FakeJoin[] = [];
  /** Names under which nodes have registered, in their order: more than one would be a second Node. */
  readonly registered: string[] = [];
  /** What kubeadm complains of in the next joins, one after the other. */
  refusals: string[] = [];
  /** How long it is away from the first look on, in seconds of the machine's time. */
  awaySeconds = 0;
  tellsTime = true;
  onAuthorize: () => Promise<void> = () => Promise.resolve();
  #awaySince: number | undefined;

  constructor(private readonly time: MachineTime) {}

  connect(): Promise<string | undefined> {
    return Promise.resolve(this.#isAway() ? "connection refused" : undefined);
  }

  serverTime(): Promise<Date | undefined> {
    return Promise.resolve(this.tellsTime && !this.#isAway() ? new Date() : undefined);
  }

  async authorize(join: FakeJoin): Promise<void> {
    this.joins.push(join);
    await this.onAuthorize();
    const refusal = this.#isAway() ? "connection refused" : this.refusals.shift();
    if (refusal !== undefined) throw new Error(refusal);
  }

  register(node: FakeNode): Promise<void> {
    this.registered.push(node.name);
    const index = this.nodes.findIndex((other) => other.name === node.name);
    const before = this.nodes[index];
    if (before === undefined) this.nodes.push(node);
    // As a kubelet does with a Node that is there: labels and taints stay as they are.
    else this.nodes[index] = { ...node, labels: before.labels, taints: before.taints };
    return Promise.resolve();
  }

  #isAway(): boolean {
    if (this.awaySeconds === 0) return false;
    this.#awaySince ??= this.time.elapsed();
    return this.time.elapsed() - this.#awaySince < this.awaySeconds * 1000;
  }
}
