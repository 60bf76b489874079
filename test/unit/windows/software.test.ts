import assert from "node:assert/strict";
import { parseImageManifest } from "../../../components/windows/image-manifest.ts";
import {
  imageSoftware,
  officialSoftware,
  unpinned,
  unpinnedMessage,
} from "../../../components/windows/software.ts";

const versions = { kubernetes: "1.36.4", containerd: "2.4.2" };
const medium = (fileName: string, digit: string): { fileName: string; sha256: string } => ({
  fileName,
  sha256: digit.repeat(64),
});
const manifest = {
  windowsBuild: "10.0.20348.4405",
  media: {
    containerd: medium("containerd-2.4.2-windows-amd64.tar.gz", "1"),
    kubelet: medium("kubelet.exe", "2"),
    kubeadm: medium("kubeadm.exe", "3"),
    kubeLogRunner: medium("kube-log-runner.exe", "4"),
  },
};

describe("software of a Windows node", () => {
  it("comes from its publishers by https", () => {
    const { containerd, kubelet, kubeadm, kubeLogRunner } = officialSoftware(versions);
    const base = "https://dl.k8s.io/v1.36.4/bin/windows/amd64";
    assert.deepEqual(
      [containerd.uri, kubelet.uri, kubeadm.uri, kubeLogRunner.uri],
      [
        "https://github.com/containerd/containerd/releases/download/v2.4.2/containerd-2.4.2-windows-amd64.tar.gz",
        `${base}/kubelet.exe`,
        `${base}/kubeadm.exe`,
        `${base}/kube-log-runner.exe`,
      ],
    );
  });

  it("has the checksums of the image that carries it", () => {
    const software = imageSoftware(versions, manifest);
    assert.deepEqual(unpinned(software), []);
    assert.equal(software.kubelet.sha256, "2".repeat(64));
    assert.equal(software.kubelet.uri, officialSoftware(versions).kubelet.uri);
  });

  it("of another version than the image carries is an error that names the settings", () => {
    assert.throws(
      () => imageSoftware({ ...versions, containerd: "2.3.4" }, manifest),
      /carries containerd-2\.4\.2-windows-amd64\.tar\.gz, but .*2\.3\.4.*windows\.containerdVersion/,
    );
  });

  it("without a checksum is told apart, and the message says where to add one", () => {
    const software = imageSoftware(versions, manifest);
    const missing = unpinned({ ...software, kubeadm: { ...software.kubeadm, sha256: undefined } });
    assert.deepEqual(missing, [software.kubeadm.uri]);
    assert.match(
      unpinnedMessage(missing),
      /kubeadm\.exe: .*pinnedSha256 in components\/windows\/software\.ts/,
    );
  });
});

describe("manifest of an image", () => {
  it("is read", () => {
    assert.deepEqual(parseImageManifest(JSON.stringify(manifest)), manifest);
  });

  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ["not JSON", "{", /not JSON; build the image again/],
    ["empty", "{}", /windowsBuild.*media/],
    [
      "lacking a medium",
      JSON.stringify({ ...manifest, media: { ...manifest.media, kubelet: undefined } }),
      /media\.kubelet/,
    ],
    [
      "with half a checksum",
      JSON.stringify({
        ...manifest,
        media: { ...manifest.media, kubelet: { fileName: "k", sha256: "ab" } },
      }),
      /media\.kubelet\.sha256: must be 64/,
    ],
  ];
  for (const [what, text, message] of wrong) {
    it(`${what} is an error`, () => {
      assert.throws(() => parseImageManifest(text), message);
    });
  }
});
