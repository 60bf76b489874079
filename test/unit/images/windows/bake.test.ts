import assert from "node:assert/strict";

import type { PodNetworkName } from "../../../../components/cni/pod-networks.ts";
import { MediaError } from "../../../../images/disk/media-program.ts";
import { bakedSteps, bakeOf, bakeText, nodeImages } from "../../../../images/windows/bake.ts";
import type { OwnScript } from "../../../../components/windows/own-scripts.ts";
import {
  officialSoftware,
  type ProgramName,
  type WindowsSoftware,
} from "../../../../components/windows/software.ts";
import { hostProblemText } from "../../../../config/host-problem.ts";
import { resolveSettings } from "../../../../config/resolve.ts";
import { assertGolden, yamlText } from "../../controlplane/golden.ts";
import { eachCase } from "../../each-case.ts";
import { imageScripts } from "../../windows/step-scripts.ts";

const names = ["containerd", "kubelet", "kubeadm", "kubeLogRunner", "crictl"] as const;
const sums = Object.fromEntries(
  names.map((name, place) => [name, String(place + 1).repeat(64)]),
) as Record<ProgramName, string>;
const versions = { kubernetes: "1.36.4", containerd: "2.3.4" };

function software(checksums: Partial<Record<ProgramName, string>> = sums): WindowsSoftware {
  const folders = { [sums.kubelet]: "/cache/kubelet-entry" };
  return officialSoftware(versions, { checksums, lock: {}, folders });
}

describe("what is baked into an image", () => {
  const images = ["registry.k8s.io/pause:3.10.2", "quay.io/calico/node-windows:v3.32.1"];
  const bake = bakeOf(software(), images);

  const script = (name: string, when: OwnScript["when"], files: OwnScript["files"]): OwnScript => ({
    ...{ name, path: `/srv/${name}`, sha256: "a".repeat(64), files, when, runs: "changed" },
  });
  const agent = { path: "/srv/agent.msi", sha256: "c".repeat(64) };
  const scripts = [
    script("agent.ps1", "image", [agent]),
    script("node.ps1", "before-join", []),
    script("last.ps1", "after-join", []),
  ];
  const certificates = [{ sha1: "AB".repeat(20), der: "QQ==" }];
  const withScripts = bakeOf(software(), images, { scripts, certificates });

  it("is as reviewed: this is what the image's script reads", () => {
    const text = yamlText(JSON.parse(bakeText(withScripts)));
    assertGolden(new URL("./", import.meta.url), "bake.yaml", text);
  });

  it("has the user's scripts for images and what is beside them, and certificates only with them", () => {
    assert.deepEqual(withScripts.own, {
      ["a".repeat(64)]: { path: "/srv/agent.ps1", sha256: "a".repeat(64) },
      "agent.msi": agent,
    });
    assert.deepEqual(bakeOf(software(), images, { scripts: scripts.slice(1), certificates }), bake);
    assert.deepEqual(bake.own, {});
  });

  it("gives each step all its parameters, and comes in the order of the steps", () => {
    const found = withScripts.steps.map(({ step }) => step);
    assert.deepEqual(found, bakedSteps);
    for (const { step, parameters } of withScripts.steps) {
      assert.deepEqual(Object.keys(parameters), Object.keys(step.parameters), step.name);
    }
  });

  it("brings every program, from where it was fetched", () => {
    assert.deepEqual(
      bake.programs.map(({ fileName }) => fileName),
      [
        ...["containerd-2.3.4-windows-amd64.tar.gz", "kubelet.exe", "kubeadm.exe"],
        ...["kube-log-runner.exe", "crictl-v1.36.0-windows-amd64.tar.gz"],
      ],
    );
    const kubelet = bake.programs.find(({ fileName }) => fileName === "kubelet.exe");
    assert.equal(kubelet?.file, `/cache/kubelet-entry/kubelet.exe`);
    assert.equal(bake.programs.filter(({ file }) => file === undefined).length, 4);
  });

  it("knows what it installs: nothing without a checksum", () => {
    const { kubelet, kubeLogRunner, crictl } = sums;
    assert.throws(
      () => bakeOf(software({ kubelet, kubeLogRunner, crictl }), images),
      (error) =>
        error instanceof MediaError &&
        /^containerd\S+\.tar\.gz, kubeadm\.exe must be part of the image, but their checksums are not known.*Run `\.\/kindows fetch --stack <name>`/.test(
          error.problems.map(hostProblemText).join("\n"),
        ),
    );
  });

  it("is read from the CD by the names it is put there by", () => {
    const texts = imageScripts.map(({ text }) => text);
    for (const taken of ["'bake.json'", "'programs'"]) {
      assert.ok(
        texts.some((text) => text.includes(`(Join-Path $PSScriptRoot ${taken})`)),
        taken,
      );
    }
    assert.ok(texts.some((text) => text.includes("$MediaFolder = 'C:\\kindows\\media'")));
  });
});

const pauseImage = "registry.k8s.io/pause:3.10.2";

function images(kind: PodNetworkName, kubeProxyImage?: string): readonly string[] {
  const written = { windows: { kubeProxyImage }, cni: { kind } };
  return nodeImages(resolveSettings(written, { stack: "dev", file: "x" }), { pauseImage });
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

  const written = {
    "example.com/kube-proxy:v1": "example.com/kube-proxy:v1",
    "localhost:5000/kube-proxy:v1": "localhost:5000/kube-proxy:v1",
    "team/kube-proxy:v1": "docker.io/team/kube-proxy:v1",
    "kube-proxy:v1": "docker.io/library/kube-proxy:v1",
  };
  eachCase("have their registry's name: %s", written, (full, image) =>
    assert.ok(images("flannel", image).includes(full)),
  );
});
