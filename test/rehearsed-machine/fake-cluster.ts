import type { MachineTime } from "../../rehearsal/machine/machine-time.ts";

/** A join, as read by the fake kubeadm from its JoinConfiguration. */
export interface FakeJoin {
  readonly endpoint: string;
  readonly token: string;
  /** `sha256:<hex>` of the CA's public key. */
  readonly caCertHashes: readonly string[];
}

/** A node, as described by the fake kubelet's command line. */
export interface FakeNode {
  readonly name: string;
  readonly address: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `key=value:Effect`. */
  readonly taints: readonly string[];
  readonly kubeletVersion: string;
}

export interface FakeCluster {
  /** Connects to the API server over TCP. Resolves to the error, or undefined. */
  connect(host: string, port: number, timeoutSeconds: number): Promise<string | undefined>;
  /** The API server's time; undefined if its answers have none. */
  serverTime(host: string, port: number, timeoutSeconds: number): Promise<Date | undefined>;
  /** Discovery and TLS bootstrap of a join. @throws the error that kubeadm would report. */
  authorize(join: FakeJoin): Promise<void>;
  /** Called each time the fake kubelet starts; the node may exist already. */
  register(node: FakeNode): Promise<void>;
}

/** Records joins, and lets well-formed ones succeed unless it is away or has refusals. Runs no cluster. */
export class RecordingCluster implements FakeCluster {
  readonly nodes: FakeNode[] = [];
  readonly joins: FakeJoin[] = [];
  /** Names of registered nodes, in order: more than one distinct name would mean a second Node. */
  readonly registered: string[] = [];
  /** Errors of the next joins, one for each. */
  refusals: string[] = [];
  /** How long it is unreachable after the first request, in seconds of the machine's time. */
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
    // Like a kubelet, keeps the labels and taints of an existing Node.
    else this.nodes[index] = { ...node, labels: before.labels, taints: before.taints };
    return Promise.resolve();
  }

  #isAway(): boolean {
    if (this.awaySeconds === 0) return false;
    this.#awaySince ??= this.time.elapsed();
    return this.time.elapsed() - this.#awaySince < this.awaySeconds * 1000;
  }
}
