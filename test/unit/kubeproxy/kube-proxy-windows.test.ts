import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { ControlPlane } from "../../../components/controlplane/control-plane.ts";
import { stringify } from "yaml";

import {
  daemonSet,
  kubeProxyImage,
  scriptConfigMap,
  scriptConfigMapName,
} from "../../../components/kubeproxy/kube-proxy-objects.ts";
import { assertGolden } from "../controlplane/golden.ts";
import { record } from "../controlplane/recorded-resources.ts";

const here = new URL(import.meta.url);
const script = readFileSync(
  new URL("../../../components/kubeproxy/start.ps1", import.meta.url),
  "utf8",
);

describe("kube-proxy for Windows", () => {
  it("is a HostProcess DaemonSet of the cluster's version", () => {
    const made = daemonSet({
      image: kubeProxyImage("1.36.4"),
      configMap: "kube-proxy-windows-0",
      network: { name: "Calico", endpoint: "Calico_ep" },
    });
    assertGolden(here, "daemon-set.yaml", stringify(made));
  });

  it("has an address reserved where the pods' network has no endpoint of its own", () => {
    const text = JSON.stringify(
      daemonSet({
        image: "i",
        configMap: "c",
        network: { name: "flannel.4096", endpoint: undefined },
      }),
    );
    assert.ok(text.includes('"-NetworkName","flannel.4096","-EndpointName","none"'), text);
    assert.match(script, /\$EndpointName -eq 'none'/);
  });

  it("starts a user's own image with the same script", () => {
    const image = "registry.example.com/kube-proxy:v1.36.4";
    const usual = daemonSet({
      image: kubeProxyImage("1.36.4"),
      configMap: "c",
      network: undefined,
    });
    const own = daemonSet({ image, configMap: "c", network: undefined });
    assert.equal(
      JSON.stringify(own),
      JSON.stringify(usual).replace(kubeProxyImage("1.36.4"), image),
    );
    assert.ok(JSON.stringify(own).includes("/start.ps1"));
  });

  it("runs on every Windows node, whatever its taints, and on no Linux node", () => {
    const { spec } = JSON.parse(
      JSON.stringify(daemonSet({ image: "i", configMap: "c", network: undefined })),
    ) as { spec: { template: { spec: Record<string, unknown> } } };
    assert.deepEqual(spec.template.spec["nodeSelector"], { "kubernetes.io/os": "windows" });
    assert.deepEqual(spec.template.spec["tolerations"], [{ operator: "Exists" }]);
  });

  it("says which name the API server must have on its node", () => {
    assert.match(script, /GetHostAddresses/);
  });

  it("carries its script in a ConfigMap named after the content", () => {
    assertGolden(here, "config-map.yaml", stringify(scriptConfigMap("Write-Output 'x'\n")));
    assert.notEqual(scriptConfigMapName("a"), scriptConfigMapName("b"));
  });

  it("sets no feature gates: those of the image's own script are about to go", () => {
    const code = script.replace(/<#[^]*?#>/, "");
    assert.match(code, /--proxy-mode=kernelspace/);
    assert.doesNotMatch(code, /feature-gates|WinDSR|WinOverlay/);
  });

  it("removes what an earlier kube-proxy has left in HNS before it starts one", () => {
    const removal = script.indexOf("$policies | Remove-HnsPolicyList");
    const start = script.indexOf("& $program @arguments");
    assert.match(script, /\$policies = @\(Get-HnsPolicyList\)/);
    assert.ok(removal > 0 && removal < start, `${String(removal)}, ${String(start)}`);
  });

  it("belongs to the cluster: it goes with it, and comes again with it", async () => {
    const pulumi = await import("@pulumi/pulumi");
    const { resources, made } = await record(
      () => "",
      async (opts) => {
        const { local } = await import("@pulumi/command");
        const { Provider } = await import("@pulumi/kubernetes/provider.js");
        const { KubeProxyWindows } =
          await import("../../../components/kubeproxy/kube-proxy-windows.ts");
        const controlPlane: ControlPlane = {
          kubeconfig: pulumi.secret(""),
          endpoint: pulumi.output(""),
          caCertHash: pulumi.output(""),
          kubernetesVersion: "1.36.4",
          hostsEntries: pulumi.output([]),
          provider: new Provider("cp", {}),
          resource: new local.Command("cp", {}),
          podCidr: "10.244.0.0/16",
          serviceCidr: "10.96.0.0/16",
        };
        new KubeProxyWindows("kube-proxy-windows", { controlPlane }, opts);
        return controlPlane;
      },
    );
    const keys = [
      "kubernetes:core/v1:ConfigMap/kube-proxy-windows",
      "kubernetes:apps/v1:DaemonSet/kube-proxy-windows",
    ];
    for (const key of keys) {
      assert.equal(resources.get(key)?.opts.deletedWith, made.resource, key);
      assert.deepEqual(resources.get(key)?.opts.replaceWith, [made.resource], key);
    }
    const text = JSON.stringify(resources.get(keys[1] ?? "")?.inputs);
    assert.ok(text.includes(scriptConfigMapName(script)));
  });
});
