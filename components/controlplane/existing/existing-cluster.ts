import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import { Provider } from "@pulumi/kubernetes/provider.js";
import { hostAction } from "../../host-action/host-action.ts";
import type { environment } from "../actions/confirm-cluster.ts";
import type { ControlPlane, HostsEntry } from "../control-plane.ts";
import type { ExaminedCluster } from "./examine-cluster.ts";

export interface ExistingClusterArgs {
  /** The cluster as it was found; undefined in a preview that asks nobody. */
  readonly examined: Pick<ExaminedCluster, "kubeconfig" | "facts"> | undefined;
  /** Version of the nodes that join it, without a leading `v`. */
  readonly kubernetesVersion: string;
  /** Names that the machines cannot resolve otherwise. */
  readonly hostsEntries: readonly HostsEntry[];
  /** Ranges that stand for the cluster's own, where these are not known. */
  readonly ranges: { readonly podCidr: string; readonly serviceCidr: string };
}

/**
 * An existing cluster, which is retained: what is put into it is removed again.
 *
 * Not responsible for whether it is fit: that was looked at before (examine-cluster.ts). It makes nothing and has
 * nothing to remove; another cluster in its place has everything done again.
 */
export class ExistingCluster extends pulumi.ComponentResource implements ControlPlane {
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
    super("kindows:controlplane:ExistingCluster", name, { kubernetesVersion }, opts);
    const facts = examined?.facts;
    const id = known(facts?.id);
    this.kubeconfig = pulumi.secret(known(examined?.kubeconfig));
    this.endpoint = known(facts?.endpoint);
    this.caCertHash = known(facts?.caCertHash);
    this.kubernetesVersion = kubernetesVersion;
    this.hostsEntries = pulumi.output([...args.hostsEntries]);
    this.podCidr = facts?.podCidr ?? args.ranges.podCidr;
    this.serviceCidr = facts?.serviceCidr ?? args.ranges.serviceCidr;
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
      // What a killed run made without writing it down is taken over, not stumbled over.
      { kubeconfig: this.kubeconfig, clusterIdentifier: id, upsertExistingObjects: true },
      { parent: this },
    );
    this.registerOutputs({ endpoint: this.endpoint });
  }
}

/** A value that a preview which asks nobody does not know. */
function known(value: string | undefined): pulumi.Output<string> {
  return value === undefined
    ? pulumi.output(pulumi.unknown as unknown as string)
    : pulumi.output(value);
}
