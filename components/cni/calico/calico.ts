import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
// One module each: the package as a whole takes seconds to load.
import { CustomResource } from "@pulumi/kubernetes/apiextensions/customResource.js";
import { Deployment } from "@pulumi/kubernetes/apps/v1/deployment.js";
import { ConfigMap } from "@pulumi/kubernetes/core/v1/configMap.js";
import { Namespace } from "@pulumi/kubernetes/core/v1/namespace.js";
import { ServiceAccount } from "@pulumi/kubernetes/core/v1/serviceAccount.js";
import { ClusterRoleBinding } from "@pulumi/kubernetes/rbac/v1/clusterRoleBinding.js";

import type { ControlPlane } from "../../controlplane/control-plane.ts";
import { hostAction, type HostActionArgs, type Variables } from "../../host-action/host-action.ts";
import type { environment as definitionsToApply } from "../actions/apply-definitions.ts";
import type { environment as rollout } from "../actions/await-calico.ts";
import type { environment as configuring } from "../actions/configure-calico.ts";
import type { environment as finding } from "../actions/find-api-server.ts";
import type { environment as change } from "../../controlplane/actions/apply-change.ts";
import { manifest, type Manifest } from "../../manifest.ts";
import { daemonSetOnNodes, type JoinedToCluster } from "../../node/daemon-set-on-nodes.ts";
import {
  type HnsNetwork,
  joinsWindows,
  type PodNetwork,
  type PodNetworkSettings,
} from "../pod-network.ts";
import { calicoHnsNetwork, calicoOnWindows, type FoundCalico } from "./existing.ts";
import { installationObjects, type CalicoNetworkOptions } from "./installation.ts";
import type { CalicoSection } from "./settings.ts";
import { calicoRelease, type CalicoRelease, operatorImage } from "./release.ts";

export interface CalicoArgs {
  /** The cluster; created without a CNI. */
  readonly controlPlane: ControlPlane;
  /** The Calico release. */
  readonly release: CalicoRelease;
  /** Settings that differ between labs. The ranges come from the control plane. */
  readonly network: Omit<CalicoNetworkOptions, "podCidr" | "serviceCidr">;
  /** Fields of the FelixConfiguration `default`, set through Calico's own API once Calico runs. */
  readonly configuration: { readonly felix: CalicoSection["calico"]["felix"] };
}

export function install(
  controlPlane: ControlPlane,
  settings: PodNetworkSettings<CalicoSection>,
  opts: pulumi.ComponentResourceOptions,
): Calico {
  const { version, encapsulation, bgp, mtu, felix } = settings.cni.calico;
  const network = { encapsulation, bgp, mtu, windows: joinsWindows(settings) };
  return new Calico(
    "calico",
    { controlPlane, release: calicoRelease(version), network, configuration: { felix } },
    opts,
  );
}

/**
 * Makes the changes that an existing cluster with Calico needs for Windows nodes, one after the other, because the
 * operator refuses the second without the first.
 */
export function complete(
  parent: pulumi.Resource,
  name: string,
  { kubeconfig, resource: cluster }: ControlPlane,
  { changes }: FoundCalico,
): pulumi.Resource {
  return changes.reduce((before, { object, path, fields }) => {
    const suffix = object.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
    return new local.Command(
      `${name}-${suffix}`,
      hostAction<typeof change>({
        create: "controlplane/apply-change",
        environment: {
          KUBECONFIG_CONTENT: pulumi.secret(kubeconfig),
          CHANGE: { object, path, fields },
        },
      }),
      {
        parent,
        dependsOn: [before],
        replaceWith: [cluster],
        // The object belongs to the cluster's owner. `protect` would keep it too, but would make `destroy` fail.
        retainOnDelete: true,
        customTimeouts: { create: "2m", update: "2m" },
      },
    );
  }, cluster);
}

/** Longest wait until the operator runs, including the pull of its image, in seconds. */
const operatorSeconds = 600;

/** Longest wait for Calico on Linux, and for its API, in seconds. */
const rolloutSeconds = 1200;

/** TigeraStatus objects for Calico on Linux nodes, each with the resource that it reports on. */
const linuxComponents = {
  ippools: "installations",
  calico: "installations",
  apiserver: "apiservers",
} as const;

/** Name of namespace, service account and Deployment, as in the operator's manifest. */
const operatorName = "tigera-operator";

export function operatorObjects(release: CalicoRelease, endpoint: unknown): Manifest {
  return manifest(new URL("operator.yaml", import.meta.url), {
    image: operatorImage(release),
    version: `v${release.operator}`,
    endpoint,
  });
}

/**
 * Calico, installed by Tigera's operator: VXLAN between all nodes, HNS on Windows.
 *
 * `resource` is ready when the operator reports all components on Linux as available, the Linux nodes are Ready, and
 * Calico's own API is configured. Windows nodes get Calico when they join; `awaitOnWindows` waits for them.
 *
 * Not responsible for kube-proxy, nor for the network `External`, which is created on Windows nodes before they join.
 */
export class Calico extends pulumi.ComponentResource implements PodNetwork {
  readonly resource: pulumi.Resource;
  readonly windows: HnsNetwork | undefined;
  readonly #name: string;
  readonly #args: CalicoArgs;

  constructor(name: string, args: CalicoArgs, opts?: pulumi.ComponentResourceOptions) {
    const { controlPlane, release, network, configuration } = args;
    super("kindows:cni:Calico", name, { calico: release.calico, operator: release.operator }, opts);
    this.#name = name;
    this.#args = args;
    this.windows = network.windows ? calicoHnsNetwork : undefined;
    const object = { ...this.#inCluster, provider: controlPlane.provider };
    const { podCidr, serviceCidr } = controlPlane;
    const wanted = installationObjects({ ...network, podCidr, serviceCidr });

    const definitions = this.#action<typeof definitionsToApply>("definitions", {
      create: "cni/apply-definitions",
      environment: { KUBECONFIG_CONTENT: this.#kubeconfig, CALICO: release },
    });
    const endpoint = this.#action<typeof finding>("endpoint", {
      create: "cni/find-api-server",
      environment: { KUBECONFIG_CONTENT: this.#kubeconfig },
    });
    const variables = pulumi.unsecret(endpoint.stdout).apply((text) => {
      const { address, port } = JSON.parse(text) as { address: string; port: number };
      return { KUBERNETES_SERVICE_HOST: address, KUBERNETES_SERVICE_PORT: String(port) };
    });
    const objects = operatorObjects(release, variables);
    const namespace = new Namespace(operatorName, objects.Namespace, object);
    const inNamespace = { ...object, dependsOn: [namespace] };
    const account = new ServiceAccount(operatorName, objects.ServiceAccount, inNamespace);
    const binding = new ClusterRoleBinding(operatorName, objects.ClusterRoleBinding, object);
    const services = new ConfigMap(`${operatorName}-endpoint`, objects.ConfigMap, inNamespace);
    const operator = new Deployment(operatorName, objects.Deployment, {
      ...object,
      // The operator reads the API server's address from the ConfigMap when it starts.
      dependsOn: [definitions, account, binding, services],
      customTimeouts: { create: `${operatorSeconds}s`, update: `${operatorSeconds}s` },
    });
    // After the operator, because an older operator does not know all fields of a newer Installation.
    const afterOperator = { ...object, dependsOn: [operator] };
    const installed = new CustomResource(name, { ...wanted.Installation }, afterOperator);
    const api = new CustomResource(
      `${name}-apiserver`,
      { ...wanted.APIServer },
      { ...afterOperator, dependsOn: [installed] },
    );
    const onLinux = this.#action<typeof rollout>(
      "linux",
      {
        create: "cni/await-calico",
        environment: {
          KUBECONFIG_CONTENT: this.#kubeconfig,
          CALICO: {
            version: release.calico,
            components: linuxComponents,
            // The action does not read `network`, but a changed network makes it run again and wait for the rollout.
            network,
            timeoutSeconds: rolloutSeconds,
          },
        },
      },
      [installed, api],
      rolloutSeconds,
    );
    this.resource = this.#action<typeof configuring>(
      "configuration",
      {
        create: "cni/configure-calico",
        environment: {
          KUBECONFIG_CONTENT: this.#kubeconfig,
          CALICO: { ...configuration, timeoutSeconds: rolloutSeconds },
        },
        addPreviousOutputInEnv: true,
      },
      [onLinux],
      rolloutSeconds,
    );
    this.registerOutputs({});
  }

  awaitOnWindows(nodes: readonly JoinedToCluster[]): void {
    const { controlPlane, release, network } = this.#args;
    if (this.windows === undefined || nodes.length === 0) return;
    daemonSetOnNodes(`${this.#name}-windows`, {
      controlPlane,
      daemonSet: calicoOnWindows,
      nodes,
      version: { calico: release.calico, network },
      parent: this,
      dependsOn: [this.resource],
    });
  }

  get #kubeconfig(): pulumi.Output<string> {
    return pulumi.secret(this.#args.controlPlane.kubeconfig);
  }

  #action<V extends Variables>(
    suffix: string,
    action: HostActionArgs<V>,
    dependsOn: readonly pulumi.Resource[] = [],
    timeoutSeconds = 240,
  ): local.Command {
    // The action ends at its own limit and reports what it last saw. Pulumi's limit is for an action that hangs.
    const limit = `${timeoutSeconds + 60}s`;
    return new local.Command(`${this.#name}-${suffix}`, hostAction(action), {
      ...this.#inCluster,
      dependsOn: [this.#args.controlPlane.resource, ...dependsOn],
      customTimeouts: { create: limit, update: limit },
    });
  }

  /** Objects in a cluster are deleted and created again with the cluster, even if the provider stays the same. */
  get #inCluster() {
    const { resource } = this.#args.controlPlane;
    return { parent: this, deletedWith: resource, replaceWith: [resource] };
  }
}
