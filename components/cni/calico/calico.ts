import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import type * as z from "zod";
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
import type { HnsNetwork, PodNetwork, PodNetworkSettings } from "../pod-network.ts";
import { calicoHnsNetwork, type FoundCalico } from "./existing.ts";
import { installationObjects, type CalicoNetworkOptions } from "./installation.ts";
import { calicoRelease, type CalicoRelease } from "./release.ts";

export interface CalicoArgs {
  /** The cluster; created without a CNI. */
  readonly controlPlane: ControlPlane;
  /** The Calico release. */
  readonly release: CalicoRelease;
  /** Settings that differ between labs; the ranges are the cluster's. */
  readonly network: Omit<CalicoNetworkOptions, "podCidr" | "serviceCidr">;
  /** Settings in Calico's own API, which is available later: fields of the FelixConfiguration `default`. */
  readonly configuration: { readonly felix: PodNetworkSettings["cni"]["calico"]["felix"] };
}

export function install(controlPlane: ControlPlane, { cni, nodes }: PodNetworkSettings): Calico {
  const { version, encapsulation, bgp, mtu, felix } = cni.calico;
  return new Calico("calico", {
    controlPlane,
    release: calicoRelease(version),
    network: { encapsulation, bgp, mtu, windows: nodes.length > 0 },
    configuration: { felix },
  });
}

/**
 * Changes that an existing cluster with Calico needs for Windows nodes, one after the other: its operator requires the
 * first before the second.
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
        // The object is its owner's. protect would stop the removal of what is kindows' own, too.
        retainOnDelete: true,
        customTimeouts: { create: "2m", update: "2m" },
      },
    );
  }, cluster);
}

/** Longest wait until the operator runs, including the pull of its image. */
const operatorSeconds = 600;

/**
 * Longest wait until Calico runs on Linux and its API answers, and then until it runs on Windows. Calico's own tests allow
 * 600 s for its Windows pods; images over a slow line take longer.
 */
const rolloutSeconds = 1200;

/** Calico's components on Linux nodes in its operator's status, and the resource of each. */
const linuxComponents = {
  ippools: "installations",
  calico: "installations",
  apiserver: "apiservers",
} as const;

/** Namespace, account and Deployment have the operator's own name, as in its manifest. */
const operatorName = "tigera-operator";

export function operatorObjects({ operator }: CalicoRelease, endpoint: unknown): Manifest {
  return manifest(new URL("operator.yaml", import.meta.url), {
    image: `quay.io/tigera/operator:v${operator}`,
    version: `v${operator}`,
    endpoint,
  });
}

/**
 * Calico, installed by Tigera's operator: VXLAN between all nodes, HNS on Windows.
 *
 * It is ready when the operator reports all its components as available and Linux nodes are Ready. Windows nodes get it when
 * they join; `awaitOnWindows` waits for those.
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
      // The operator reads the address of the API server when it starts.
      dependsOn: [definitions, account, binding, services],
      customTimeouts: { create: `${operatorSeconds}s`, update: `${operatorSeconds}s` },
    });
    // After the operator, as an older one would not know all fields of a newer Installation.
    const afterOperator = { ...object, dependsOn: [operator] };
    const installed = new CustomResource(name, { ...wanted.Installation }, afterOperator);
    const api = new CustomResource(
      `${name}-apiserver`,
      { ...wanted.APIServer },
      { ...afterOperator, dependsOn: [installed] },
    );
    const onLinux = this.#await("linux", { components: linuxComponents, linuxNodes: true }, [
      installed,
      api,
    ]);
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

  awaitOnWindows(nodes: readonly pulumi.Resource[]): void {
    if (this.windows !== undefined) {
      const components = { "calico-windows": "installations" } as const;
      this.#await("windows", { components, linuxNodes: false }, [this.resource, ...nodes]);
    }
  }

  #await(
    suffix: string,
    what: Pick<z.input<(typeof rollout)["CALICO"]>, "components" | "linuxNodes">,
    dependsOn: readonly pulumi.Resource[],
  ): pulumi.Resource {
    const { release, network } = this.#args;
    // The network is a trigger, so that a change of it is waited for.
    const CALICO = { version: release.calico, ...what, network, timeoutSeconds: rolloutSeconds };
    return this.#action<typeof rollout>(
      suffix,
      { create: "cni/await-calico", environment: { KUBECONFIG_CONTENT: this.#kubeconfig, CALICO } },
      dependsOn,
      rolloutSeconds,
    );
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
    // The action ends by its own limit and reports what it last saw; Pulumi's is for one that hangs.
    const limit = `${timeoutSeconds + 60}s`;
    return new local.Command(`${this.#name}-${suffix}`, hostAction(action), {
      ...this.#inCluster,
      dependsOn: [this.#args.controlPlane.resource, ...dependsOn],
      customTimeouts: { create: limit, update: limit },
    });
  }

  /** Objects in a cluster are deleted and created with it, even if the provider stays the same. */
  get #inCluster() {
    const { resource } = this.#args.controlPlane;
    return { parent: this, deletedWith: resource, replaceWith: [resource] };
  }
}
