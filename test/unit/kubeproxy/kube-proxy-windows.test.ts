import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { V1PodSpec } from "@kubernetes/client-node";
import type * as pulumi from "@pulumi/pulumi";

import type { HnsNetwork } from "../../../components/cni/pod-network.ts";
import {
  kubeProxyImage,
  kubeProxyObjects,
} from "../../../components/kubeproxy/kube-proxy-objects.ts";
import { KubeProxyWindows } from "../../../components/kubeproxy/kube-proxy-windows.ts";
import * as library from "../../../components/library/components.ts";
import { controlPlaneFixture, joinedNode } from "../controlplane/fixture-node.ts";
import { runText, startWithSteps } from "../rehearsal/machine/step-runner.ts";
import { yamlText } from "../controlplane/golden.ts";
import { record, revealed } from "../controlplane/recorded-resources.ts";

const script = readFileSync(
  new URL("../../../components/kubeproxy/start.ps1", import.meta.url),
  "utf8",
);

describe("kube-proxy for Windows", () => {
  it("is a HostProcess DaemonSet of the cluster's version", () => {
    const network = { name: "Calico", endpoint: "Calico_ep" };
    const image = kubeProxyImage("1.36.4");
    // On every Windows node, whatever its taints, and on no Linux node.
    const text = yamlText(kubeProxyObjects({ image, script, network }).DaemonSet);
    for (const line of [
      ...["nodeSelector: { kubernetes.io/os: windows }", "tolerations: [ { operator: Exists } ]"],
      ...["windowsOptions: { hostProcess: true, ", "/kube-proxy:v1.36.4-calico-hostprocess\n"],
    ]) {
      assert.ok(text.includes(line), text);
    }
  });

  it("is ready when kube-proxy answers, or, without an HNS network that it could wait for, at once", () => {
    const probe = (network: HnsNetwork | undefined): unknown => {
      const { spec } = kubeProxyObjects({ image: "i", script, network }).DaemonSet as {
        spec: { template: { spec: V1PodSpec } };
      };
      return spec.template.spec.containers[0]?.readinessProbe?.httpGet;
    };
    assert.deepEqual(probe({ name: "Calico", endpoint: "Calico_ep" }), {
      ...{ host: "127.0.0.1", path: "/healthz", port: 10256 },
    });
    assert.equal(probe(undefined), undefined);
  });

  it("reserves an address if the pod network has no endpoint of its own", () => {
    const network = { name: "flannel.4096", endpoint: undefined };
    const text = JSON.stringify(kubeProxyObjects({ image: "i", script, network }));
    assert.ok(text.includes('"-NetworkName","flannel.4096","-EndpointName","none"'), text);
    assert.match(script, /\$EndpointName -eq 'none'/);
  });

  it("asks another API server than kube-proxy on Linux, where the two reach different ones", () => {
    const made = (server?: string) =>
      kubeProxyObjects({ image: "i", script, network: undefined, server });
    const volumes = (server?: string): unknown =>
      (made(server).DaemonSet as { spec: { template: { spec: { volumes: unknown[] } } } }).spec
        .template.spec.volumes[0];
    assert.deepEqual(volumes(), { name: "kube-proxy", configMap: { name: "kube-proxy" } });
    const { metadata, data } = made("https://10.0.0.1:6443").ConfigMap as {
      metadata: { name: string };
      data: Record<string, string>;
    };
    assert.deepEqual(volumes("https://10.0.0.1:6443"), {
      name: "kube-proxy",
      configMap: { name: metadata.name },
    });
    assert.match(data["kubeconfig.conf"] ?? "", /server: https:\/\/10\.0\.0\.1:6443\n/);
    assert.equal(data["start.ps1"], script);
    assert.notDeepEqual(
      made("https://10.0.0.2:6443").DaemonSet,
      made("https://10.0.0.1:6443").DaemonSet,
    );
  });

  it("pulls its image with the Secrets that are named, and with none otherwise", () => {
    const text = (pullSecrets?: readonly string[]): string =>
      JSON.stringify(kubeProxyObjects({ image: "i", script, network: undefined, pullSecrets }));
    assert.ok(text(["corp"]).includes('"imagePullSecrets":[{"name":"corp"}]'));
    assert.ok(!text([]).includes("imagePullSecrets"));
  });

  it("starts a user's own image with the same script", () => {
    const text = (image: string): string =>
      JSON.stringify(kubeProxyObjects({ image, script, network: undefined }));
    const [usual, own] = [kubeProxyImage("1.36.4"), "registry.example.com/kube-proxy:v1.36.4"];
    assert.equal(text(own), text(usual).replace(usual, own));
    assert.ok(text(own).includes("/start.ps1"));
  });

  it("of the package refuses an unknown pod network, and a node refuses one without programs", async () => {
    const args = { kubeconfig: "", computerName: "n", address: "", privateKey: "", hostKey: "" };
    for (const [component, podNetwork, known] of [
      [library.KubeProxyWindows, "cilium", "calico, flannel, ovn-kubernetes, none"],
      [library.WindowsNode, "ovn-kubernetes", "calico, flannel, none"],
    ] as const) {
      const make = (opts: pulumi.ComponentResourceOptions): pulumi.Resource =>
        new component("p", { ...args, podNetwork }, opts);
      const message = `podNetwork: "${podNetwork}" is not one of ${known}`;
      await assert.rejects(
        record(() => "", make),
        { message },
      );
    }
  });

  it("says which name the API server must have on its node", async () => {
    const [assertServerName = ""] = /^function Assert-ServerName \{[^]*?^\}/m.exec(script) ?? [];
    const machine = await startWithSteps();
    try {
      await machine.windows.drive.write("C:\\kubeconfig", "server: https://cp.test:6443\n");
      const call = `\nAssert-ServerName -Kubeconfig 'C:\\kubeconfig'`;
      assert.match(
        await runText(machine, [], assertServerName + call),
        /name cp\.test does not resolve on this node: add it to .*\\drivers\\etc\\hosts/,
      );
    } finally {
      await machine.stop();
    }
  });

  it("carries its script in a ConfigMap named after the content", () => {
    const made = (script: string) => kubeProxyObjects({ image: "i", script, network: undefined });
    assert.match(yamlText(made("exit 7\n").ConfigMap), /start\.ps1: .*\n? *exit 7/);
    assert.notDeepEqual(made("a").DaemonSet, made("b").DaemonSet);
  });

  it("is awaited on the nodes of its program, again after another join, and not on those of others", async () => {
    const made = async (image: string) => {
      const { resources } = await record(
        () => "",
        (opts) => {
          const args = { controlPlane: controlPlaneFixture(), nodes: [joinedNode()], image };
          return new KubeProxyWindows("kube-proxy-windows", args, opts);
        },
      );
      const wait = resources.get("command:local:Command/kube-proxy-windows-on-nodes");
      const environment = revealed(wait?.inputs["environment"]) as Record<string, string>;
      const request = JSON.parse(environment["DAEMON_SET"] ?? "") as { version: string };
      return { resources, request, joins: environment["JOIN_IDS"] };
    };
    const { resources, request, joins } = await made("one");
    const set = resources.get("kubernetes:apps/v1:DaemonSet/kube-proxy-windows");
    const { annotations } = set?.inputs["metadata"] as { annotations: Record<string, string> };
    assert.equal(annotations["pulumi.com/skipAwait"], "true");
    const { version, ...awaited } = request;
    assert.deepEqual(awaited, {
      ...{ namespace: "kube-system", name: "kube-proxy-windows", nodes: ["win-1"] },
      timeoutSeconds: 1500,
    });
    assert.equal(joins, "abcdef");
    assert.notEqual(version, (await made("other")).request.version);
  });

  it("belongs to the cluster: it goes with it, and comes again with it", async () => {
    const { resources, made: controlPlane } = await record(
      () => "",
      (opts) => {
        const controlPlane = controlPlaneFixture();
        new KubeProxyWindows("kube-proxy-windows", { controlPlane }, opts);
        return controlPlane;
      },
    );
    const own = ["core/v1:ConfigMap", "apps/v1:DaemonSet"].map(
      (kind) => resources.get(`kubernetes:${kind}/kube-proxy-windows`) ?? assert.fail(kind),
    );
    for (const { opts } of own) {
      assert.equal(opts.deletedWith, controlPlane.resource);
      assert.deepEqual(opts.replaceWith, [controlPlane.resource]);
    }
    const { name } = own[0]?.inputs["metadata"] as { name: string };
    assert.ok(JSON.stringify(own[1]?.inputs).includes(name));
  });
});
