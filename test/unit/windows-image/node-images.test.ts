import assert from "node:assert/strict";
import { nodeImages } from "../../../components/windows/image/node-images.ts";
import type { PodNetworkName } from "../../../components/cni/registry.ts";
import { cni } from "../../../config/sections/cni.ts";

const pauseImage = "registry.k8s.io/pause:3.10.2";

function images(kind: PodNetworkName, kubeProxyImage?: string): readonly string[] {
  return nodeImages(
    {
      windows: kubeProxyImage === undefined ? {} : { kubeProxyImage },
      cluster: { kubernetesVersion: "1.36.4" },
      cni: cni.parse({ kind }),
    },
    { pauseImage },
  );
}

describe("the container images that every Windows node needs", () => {
  const usual = "docker.io/sigwindowstools/kube-proxy:v1.36.4-calico-hostprocess";

  it("are Calico's too where that is the pod network, by its version", () =>
    assert.deepEqual(images("calico"), [
      pauseImage,
      usual,
      "quay.io/calico/cni-windows:v3.32.1",
      "quay.io/calico/node-windows:v3.32.1",
    ]));

  for (const kind of ["flannel", "kind-default"] as const) {
    it(`are no more than that with ${kind}`, () =>
      assert.deepEqual(images(kind), [pauseImage, usual]));
  }

  const written: readonly (readonly [written: string, full: string])[] = [
    ["example.com/kube-proxy:v1", "example.com/kube-proxy:v1"],
    ["localhost:5000/kube-proxy:v1", "localhost:5000/kube-proxy:v1"],
    ["team/kube-proxy:v1", "docker.io/team/kube-proxy:v1"],
    ["kube-proxy:v1", "docker.io/library/kube-proxy:v1"],
  ];
  for (const [image, full] of written) {
    it(`have their registry's name: ${image}`, () =>
      assert.ok(images("flannel", image).includes(full)));
  }
});
