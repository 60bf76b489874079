import assert from "node:assert/strict";
import { imageKey } from "../../../../components/windows/image/builder/built-image.ts";
import { resolveSettings } from "../../../../config/resolve.ts";
import type { Settings } from "../../../../config/settings.ts";
import { eachCase } from "../../each-case.ts";

const iso = { kind: "iso", path: "/srv/windows.iso" };

const settingsOf = (windows: object, more: object = {}): Settings =>
  resolveSettings({ windows: { image: iso, ...windows }, ...more }, { stack: "x", file: "x" });
const keyOf = (windows: object, more: object = {}): string => imageKey(settingsOf(windows, more));

describe("the image that a clone made for settings", () => {
  const others: Readonly<Record<string, () => string>> = {
    "another edition": () => keyOf({ image: { ...iso, edition: "datacenter-core" } }),
    "another Windows": () => keyOf({ version: "2025" }, { cni: { kind: "kind-default" } }),
    "another containerd, which is baked into it": () => keyOf({ containerdVersion: "2.4.2" }),
    "another pod network, whose container images are": () =>
      keyOf({}, { cni: { kind: "flannel" } }),
    "another kube-proxy, whose image is": () => keyOf({ kubeProxyImage: "example.com/proxy:v1" }),
  };
  eachCase("is another one for %s", others, (key) => assert.notEqual(key(), keyOf({})));

  it("is another one for another Kubernetes, which is baked into it", () => {
    const { windows, cluster, cni } = settingsOf({});
    const other = { windows, cni, cluster: { ...cluster, kubernetesVersion: "1.37.0" } };
    assert.notEqual(imageKey(other), keyOf({}));
  });

  it("is the same for what is a machine's or the lab's own", () =>
    assert.equal(keyOf({ memoryMiB: 16_384 }, { lab: { name: "other" } }), keyOf({})));
});
