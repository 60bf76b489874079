import assert from "node:assert/strict";
import { flannelVersions } from "../../../components/cni/flannel/release.ts";
import { podNetworks } from "../../../components/cni/pod-networks.ts";
import { parseImageManifest } from "../../../components/windows/image-manifest.ts";
import {
  imageSoftware,
  officialSoftware,
  unpinned,
  unpinnedMessage,
} from "../../../components/windows/software.ts";
import { cniPluginsWindows, flannelWindows } from "../../../toolchain/tools/table.ts";

const nothingKnown = { checksums: {}, lock: {}, folders: {} };
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
  it("has Flannel's where that is the pod network, with what GitHub tells where no checksum is", () => {
    const software = officialSoftware(versions, nothingKnown, podNetworks.flannel.programs);
    const checksumOf = (name: "flannel" | "flannelPlugin" | "cniPlugins") => {
      const { origin } = software[name] ?? assert.fail(name);
      return origin === "image" ? "" : origin.checksumUri;
    };
    const github = "https://github.com";
    assert.deepEqual((["flannel", "flannelPlugin", "cniPlugins"] as const).map(checksumOf), [
      "https://api.github.com/repos/flannel-io/flannel/releases/tags/v0.28.9",
      `${github}/flannel-io/cni-plugin/releases/download/v1.9.1-flannel3/cni-plugin-flannel-windows-amd64-v1.9.1-flannel3.tgz.sha256`,
      `${github}/containernetworking/plugins/releases/download/v1.9.1/cni-plugins-windows-amd64-v1.9.1.tgz.sha256`,
    ]);
    assert.equal(
      software.flannel?.uri,
      `${github}/flannel-io/flannel/releases/download/v0.28.9/flannel-v0.28.9-windows-amd64.tar.gz`,
    );
  });

  it("has the checksums of the image that carries it", () => {
    const software = imageSoftware(versions, manifest);
    assert.deepEqual(unpinned(software), []);
    assert.equal(software.kubelet.sha256, "2".repeat(64));
    assert.equal(software.kubelet.uri, officialSoftware(versions, nothingKnown).kubelet.uri);
  });

  it("has a crictl only where the image carries one", () => {
    assert.equal(imageSoftware(versions, manifest).crictl, undefined);
    const crictl = { fileName: "crictl-v1.36.0-windows-amd64.tar.gz", sha256: "5".repeat(64) };
    const media = { ...manifest.media, crictl };
    assert.equal(imageSoftware(versions, { ...manifest, media }).crictl?.sha256, "5".repeat(64));
    const older = { ...crictl, fileName: "crictl-v1.35.0-windows-amd64.tar.gz" };
    assert.throws(
      () => imageSoftware(versions, { ...manifest, media: { ...media, crictl: older } }),
      /carries crictl-v1\.35\.0-windows-amd64\.tar\.gz, but/,
    );
  });

  it("of the image has the pod network's programs, where the pods have that network", () => {
    const { programs } = podNetworks.flannel;
    const flannel = medium("flannel-v0.28.9-windows-amd64.tar.gz", "6");
    const carrying = { ...manifest, media: { ...manifest.media, flannel } };
    assert.equal(imageSoftware(versions, carrying).flannel, undefined);
    const software = imageSoftware(versions, carrying, programs);
    assert.deepEqual(
      [software.flannel?.sha256, software.flannel?.origin],
      ["6".repeat(64), "image"],
    );
    assert.equal(software.cniPlugins, undefined);
  });

  it("of the rehearsal's image is built from the versions that real nodes get, Flannel's plugin aside", () => {
    assert.deepEqual(
      [flannelWindows.tool.version, cniPluginsWindows.tool.version],
      [flannelVersions.daemon, flannelVersions.cniPlugins],
    );
  });

  it("of another version than the image carries is an error that names the settings", () =>
    assert.throws(
      () => imageSoftware({ ...versions, containerd: "2.3.4" }, manifest),
      /carries containerd-2\.4\.2-windows-amd64\.tar\.gz, but .*2\.3\.4.*windows\.containerdVersion/,
    ));

  it("without a checksum is distinguished, and the message says where it comes from", () => {
    const { kubeadm } = officialSoftware(versions, nothingKnown);
    const missing = unpinned({ ...imageSoftware(versions, manifest), kubeadm });
    assert.deepEqual(missing, [kubeadm]);
    assert.match(
      unpinnedMessage(missing),
      /^no checksum is known for https:\S+kubeadm\.exe: .*`\.\/kindows fetch --stack <name>`.*windows\.checksums$/,
    );
  });

  it("is pinned by the settings, else by the lock, and lies where it was fetched to", () => {
    const { uri } = officialSoftware(versions, nothingKnown).kubelet;
    const locked = { sha256: "7".repeat(64), takenFrom: `${uri}.sha256`, takenOn: "2026-11-21" };
    const known = {
      checksums: { kubeadm: "8".repeat(64) },
      lock: { [uri]: locked },
      folders: { ["7".repeat(64)]: "/cache/kubelet" },
    };
    const { kubelet, kubeadm, containerd } = officialSoftware(versions, known);
    const checksums = [kubelet, kubeadm, containerd].map(({ sha256 }) => sha256);
    assert.deepEqual(checksums, ["7".repeat(64), "8".repeat(64), undefined]);
    assert.deepEqual(kubelet.origin, { checksumUri: `${uri}.sha256`, folder: "/cache/kubelet" });
    const overruled = officialSoftware(versions, {
      ...known,
      checksums: { kubelet: "9".repeat(64) },
    });
    assert.equal(overruled.kubelet.sha256, "9".repeat(64));
    assert.deepEqual(overruled.kubelet.origin, { checksumUri: `${uri}.sha256`, folder: undefined });
  });
});

describe("manifest of an image", () => {
  it("is read", () => assert.deepEqual(parseImageManifest(JSON.stringify(manifest)), manifest));

  const withKubelet = (kubelet: unknown): string =>
    JSON.stringify({ ...manifest, media: { ...manifest.media, kubelet } });
  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ["not JSON", "{", /not JSON; build the image again/],
    ["empty", "{}", /windowsBuild.*media/],
    ["lacking a medium", withKubelet(undefined), /media\.kubelet/],
    [
      "with half a checksum",
      withKubelet({ fileName: "k", sha256: "ab" }),
      /media\.kubelet\.sha256: must be 64/,
    ],
  ];
  for (const [what, text, message] of wrong) {
    it(`${what} is an error`, () => assert.throws(() => parseImageManifest(text), message));
  }
});
