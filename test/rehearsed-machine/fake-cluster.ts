/** A join as the fake kubeadm reads it from its JoinConfiguration. */
export interface FakeJoin {
  /** host:port */
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

/** What a fake node joins. */
export interface FakeCluster {
  /** Whether the API server takes a TCP connection; what went wrong, or undefined. */
  connect(host: string, port: number, timeoutSeconds: number): Promise<string | undefined>;
  /** The API server's time; undefined where it does not tell. */
  serverTime(host: string, port: number, timeoutSeconds: number): Promise<Date | undefined>;
  /** The discovery and TLS bootstrap of a join; an error is what kubeadm would complain about. */
  authorize(join: FakeJoin): Promise<void>;
  /** Called each time the fake kubelet starts; the node may be there already. */
  register(node: FakeNode, join: FakeJoin): Promise<void>;
}

/** A cluster that is not there: every well-formed join succeeds and the nodes can be looked at. */
export class RecordingCluster implements FakeCluster {
  readonly nodes: FakeNode[] = [];

  connect(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  serverTime(): Promise<Date | undefined> {
    return Promise.resolve(new Date());
  }

  authorize(): Promise<void> {
    return Promise.resolve();
  }

  register(node: FakeNode): Promise<void> {
    const index = this.nodes.findIndex((other) => other.name === node.name);
    const before = this.nodes[index];
    if (before === undefined) this.nodes.push(node);
    // As a kubelet does with a Node that is there: labels and taints stay as they are.
    else this.nodes[index] = { ...node, labels: before.labels, taints: before.taints };
    return Promise.resolve();
  }
}
