import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import { Provider } from "@pulumi/kubernetes/provider.js";
import { hostAction } from "../../host-action/host-action.ts";
import type { environment } from "../actions/confirm-cluster.ts";
import type { ControlPlane, HostsEntry } from "../control-plane.ts";
import type { ExaminedCluster } from "./examine-cluster.ts";

/** `kubernetesVersion` is that of the nodes that join it. */
export interface ExistingClusterArgs extends Pick<
  ControlPlane,
  "kubernetesVersion" | "podCidr" | "serviceCidr"
> {
  /** The examined cluster; undefined in a preview that contacts nobody. */
  readonly examined: pulumi.Input<FoundCluster> | undefined;
  /** Hosts file entries for names that the machines cannot resolve otherwise. */
  readonly hostsEntries: readonly HostsEntry[];
}

interface FoundCluster extends Pick<ExaminedCluster, "kubeconfig"> {
  readonly facts: Pick<ExaminedCluster["facts"], "id" | "endpoint" | "caCertHash">;
}

/**
 * An existing cluster, which stays when the stack is destroyed. Changing to another cluster replaces everything that
 * the stack has in it.
 *
 * Not responsible for checking that nodes can join the cluster (examine-cluster.ts). It creates and removes nothing.
 */
export class ExistingControlPlane extends pulumi.ComponentResource implements ControlPlane {
  readonly kubeconfig: pulumi.Output<string>;
  readonly endpoint: pulumi.Output<string>;
  readonly caCertHash: pulumi.Output<string>;
  readonly kubernetesVersion: string;
  readonly hostsEntries: pulumi.Output<HostsEntry[]>;
  readonly provider: Provider;
  readonly resource: pulumi.Resource;
  readonly isRetained = true;
  readonly podCidr: string;
  readonly serviceCidr: string;

  constructor(name: string, args: ExistingClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    const { examined, kubernetesVersion } = args;
    super("kindows:controlplane:ExistingControlPlane", name, { kubernetesVersion }, opts);
    const found = pulumi.output(examined ?? (pulumi.unknown as unknown as FoundCluster));
    // Only the kubeconfig is secret.
    const facts = pulumi.unsecret(found.facts);
    const { id } = facts;
    this.kubeconfig = pulumi.secret(found.kubeconfig);
    this.endpoint = facts.endpoint;
    this.caCertHash = facts.caCertHash;
    this.kubernetesVersion = kubernetesVersion;
    this.hostsEntries = pulumi.output([...args.hostsEntries]);
    this.podCidr = args.podCidr;
    this.serviceCidr = args.serviceCidr;
    this.resource = new local.Command(
      name,
      hostAction<typeof environment>({
        create: "controlplane/confirm-cluster",
        environment: { KUBECONFIG_CONTENT: this.kubeconfig, CLUSTER: pulumi.output({ id }) },
        triggers: [id],
      }),
      { parent: this, customTimeouts: { create: "2m", update: "2m" } },
    );
    this.provider = new Provider(
      name,
      // Upserting adopts objects that a killed run created and did not record in the state.
      { kubeconfig: this.kubeconfig, clusterIdentifier: id, upsertExistingObjects: true },
      { parent: this },
    );
    this.registerOutputs({ endpoint: this.endpoint });
  }
}
