import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { ControlPlane } from "../../../components/controlplane/control-plane.ts";
import { stringify } from "yaml";

import {
  daemonSet,
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
    const made = daemonSet({ kubernetesVersion: "1.36.4", configMap: "kube-proxy-windows-0" });
    assertGolden(here, "daemon-set.yaml", stringify(made));
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
