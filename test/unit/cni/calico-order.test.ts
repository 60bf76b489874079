import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import { calicoRelease } from "../../../components/cni/calico/release.ts";
import type { ControlPlane } from "../../../components/controlplane/control-plane.ts";
import {
  look,
  record,
  revealed,
  type Recorded,
  type Resources,
} from "../controlplane/recorded-resources.ts";

const timeouts = { operatorSeconds: 70, rolloutSeconds: 80 };
const network = { encapsulation: "VXLAN", bgp: "Disabled", windows: true, mtu: 1400 } as const;

const cluster = "Command cp";
const operator = "Deployment tigera-operator";
const linux = "Command calico-linux";

/** What is waited for, by the resource that waits, each with its type's last part. */
const waits: Readonly<Record<string, readonly string[]>> = {
  "Command calico-definitions": [cluster],
  "Command calico-endpoint": [cluster],
  "Namespace tigera-operator": [],
  "ServiceAccount tigera-operator": ["Namespace tigera-operator"],
  "ClusterRoleBinding tigera-operator": [],
  "ConfigMap tigera-operator-endpoint": ["Namespace tigera-operator"],
  // It reads the address of the API server when it starts.
  [operator]: [
    ...["Command calico-definitions", "ServiceAccount tigera-operator"],
    ...["ClusterRoleBinding tigera-operator", "ConfigMap tigera-operator-endpoint"],
  ],
  // After the operator: an older one would not know what a newer Installation says.
  "Installation calico": [operator],
  "APIServer calico-apiserver": ["Installation calico"],
  [linux]: [cluster, "Installation calico", "APIServer calico-apiserver"],
  "Command calico-configuration": [cluster, linux],
  "Command calico-windows": [cluster, "Command calico-configuration"],
};

describe("Calico's resources", () => {
  let resources: Resources;

  before(async () => {
    ({ resources } = await record(
      () => JSON.stringify({ address: "192.168.150.128", port: 6443 }),
      async (opts) => {
        const { secret } = await import("@pulumi/pulumi");
        const { local } = await import("@pulumi/command");
        const { Provider } = await import("@pulumi/kubernetes/provider.js");
        const { Calico } = await import("../../../components/cni/calico/calico.ts");
        const controlPlane = {
          kubeconfig: secret("the kubeconfig"),
          provider: new Provider("cp", {}),
          resource: new local.Command("cp", {}, opts),
          ...{ podCidr: "10.244.0.0/16", serviceCidr: "10.96.0.0/16" },
        } as unknown as ControlPlane;
        const configuration = { felix: { bpfLogLevel: "Info" } };
        const release = calicoRelease("3.32.1");
        new Calico(
          "calico",
          { controlPlane, release, network, configuration, timeouts },
          opts,
        ).awaitOnWindows([]);
      },
    ));
  });

  const shortName = (type: string, name: string): string => `${type.split(":").at(-1)} ${name}`;
  const own = (): readonly (readonly [string, Recorded])[] =>
    [...resources]
      .filter(([key]) => !key.startsWith("kindows:") && !key.endsWith("/cp"))
      .map(([key, each]) => {
        const at = key.lastIndexOf("/");
        return [shortName(key.slice(0, at), key.slice(at + 1)), each] as const;
      });

  it("wait for each other", async () => {
    const found: Record<string, string[]> = {};
    for (const [name, { opts }] of own()) {
      const needed = [opts.dependsOn ?? []].flat() as pulumi.Resource[];
      found[name] = await Promise.all(
        needed.map(async ({ urn }) => {
          const [types = "", last = ""] = (await look(urn)).value.split("::").slice(-2);
          return shortName(types, last);
        }),
      );
    }
    assert.deepEqual(found, waits);
  });

  it("all go with the cluster, and come again with a new one", () => {
    const { resource } = resources.get("command:local:Command/cp") ?? assert.fail();
    assert.ok(resource);
    for (const [name, { opts }] of own()) {
      assert.equal(opts.deletedWith, resource, name);
      assert.deepEqual(opts.replaceWith, [resource], name);
    }
  });

  it("wait as long as they are asked to, and the engine a little longer", () => {
    const limits = Object.fromEntries(
      own().flatMap(([name, { opts }]) => {
        const { create, update } = opts.customTimeouts ?? {};
        assert.equal(create, update, name);
        return create === undefined ? [] : [[name, create]];
      }),
    );
    assert.deepEqual(limits, {
      "Command calico-definitions": "300s",
      "Command calico-endpoint": "300s",
      [operator]: "70s",
      [linux]: "140s",
      "Command calico-configuration": "140s",
      "Command calico-windows": "140s",
    });
    const reported = (suffix: string): unknown => {
      const { inputs } = resources.get(`command:local:Command/calico-${suffix}`) ?? assert.fail();
      const { CALICO } = revealed(inputs["environment"]) as { readonly CALICO: string };
      return JSON.parse(CALICO);
    };
    const [ippools, calico, apiserver] = ["installations", "installations", "apiservers"];
    const common = { version: "3.32.1", network, timeoutSeconds: 80 };
    assert.deepEqual(reported("linux"), {
      ...{ ...common, components: { ippools, calico, apiserver }, linuxNodes: true },
    });
    assert.deepEqual(reported("windows"), {
      ...{ ...common, components: { "calico-windows": "installations" }, linuxNodes: false },
    });
    assert.deepEqual(reported("configuration"), {
      felix: { bpfLogLevel: "Info" },
      timeoutSeconds: 80,
    });
  });
});
