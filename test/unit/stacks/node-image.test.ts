import assert from "node:assert/strict";
import {
  defaultKubernetes,
  isWithin,
  kubernetesLimits,
  leastKubernetes,
  nodeImages,
} from "../../../host/versions.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { isBuiltHere, nodeImage, nodeImageNote } from "../../../stacks/node-image.ts";

const settings = (cluster: object) =>
  resolveSettings({ cluster, cni: { kind: "flannel" } }, { stack: "t", file: "Pulumi.t.yaml" });
const built = { nodeImage: { reference: "kindest/node:kindows-0123456789ab", archive: "/a" } };

describe("the image of kind's nodes", () => {
  const rows = [
    { of: "kind's own", cluster: {}, on: {}, is: nodeImages[defaultKubernetes] },
    {
      of: "that of another version",
      cluster: { kubernetesVersion: "1.35.8" },
      on: {},
      is: nodeImages["1.35.8"],
    },
    { of: "the one built here", cluster: {}, on: built, is: built.nodeImage.reference },
    {
      of: "kind's own where the one built here is of another version",
      ...{ cluster: { kubernetesVersion: "1.35.8" }, on: built, is: nodeImages["1.35.8"] },
    },
    { of: "the user's", cluster: { nodeImage: "my/node:dev" }, on: built, is: "my/node:dev" },
  ];
  for (const { of, cluster, on, is } of rows) {
    it(`is ${of}`, () => assert.equal(nodeImage(settings(cluster), on), is));
  }

  it("is built here only in the default version, unless the settings name one", () => {
    const builds = [{}, { kubernetesVersion: "1.35.8" }, { nodeImage: "my/node:dev" }];
    assert.deepEqual(
      builds.map((cluster) => isBuiltHere(settings(cluster).cluster)),
      [true, false, false],
    );
  });

  it("has a note for previews where its content may change under its name", () => {
    const noted = (nodeImage?: string) =>
      nodeImageNote(settings({ ...(nodeImage !== undefined && { nodeImage }) }).cluster);
    assert.match(noted("my/node:dev") ?? "", /my\/node:dev has no digest: a preview cannot see/);
    for (const image of [
      undefined,
      `my/node@sha256:${"0a".repeat(32)}`,
      built.nodeImage.reference,
    ]) {
      assert.equal(noted(image), undefined);
    }
  });
});

describe("versions", () => {
  it("of node images are within what kind and kubeadm take, and named by digest", () => {
    for (const [version, image] of Object.entries(nodeImages)) {
      assert.match(image, new RegExp(`^kindest/node:v${version}@sha256:[0-9a-f]{64}$`));
      for (const limit of [kubernetesLimits.kind, kubernetesLimits.kubeadm]) {
        assert.ok(isWithin(version, limit), version);
      }
    }
    assert.ok(defaultKubernetes in nodeImages);
    assert.equal(leastKubernetes, "1.31.0");
  });

  const calico = kubernetesLimits.calico;
  for (const [version, is] of [
    ["1.33.9", false],
    ["1.34.0", true],
    ["1.36.12", true],
    ["1.37.0", false],
    ["1.100.0", false],
  ] as const) {
    it(`${version} is ${is ? "" : "not "}one for Calico`, () =>
      assert.equal(isWithin(version, calico), is));
  }
});
