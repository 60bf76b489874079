import assert from "node:assert/strict";

import type { V1PodSpec } from "@kubernetes/client-node";

import { agnhostImage } from "../../../images/node/container-images.ts";
import { namespace, podDomain } from "../../../verify/objects/names.ts";
import { allRoles } from "../../../verify/objects/roles.ts";
import { fitted, readSample } from "../../../verify/objects/samples.ts";
import type { SampleObject } from "../../../verify/objects/samples.ts";
import { namespaceObject, workloads } from "../../../verify/objects/workloads.ts";
import { allRows } from "../../../verify/rows/select.ts";
import { assertGolden, yamlText } from "../controlplane/golden.ts";
import { parsePowerShell } from "../windows/step-scripts.ts";

describe("what rows need in the cluster", () => {
  it("is made once for all of them, in our namespace", () => {
    const objects = [namespaceObject(), ...workloads(allRoles(allRows), "image")];
    assertGolden(new URL(import.meta.url), "workloads.yaml", yamlText(...objects));
  });

  it("has the name that DNS gives an endpoint", () => {
    const domain = podDomain("windows", "10.244.3.7", "corp.k8s");
    assert.equal(domain, "10-244-3-7.windows-pods.kindows-verify.svc.corp.k8s");
  });
});

describe("the samples", () => {
  for (const look of ["settings", "node-agent", "web-server", "shop"] as const) {
    it(`${look}: have a name each, for the namespace one is in; each pod says its system`, async () => {
      const objects = await readSample(look);
      assert.equal(new Set(objects.map(titled)).size, objects.length);
      for (const { metadata } of objects) assert.equal(metadata.namespace, undefined);
      const pods = podsOf(objects);
      assert.ok(pods.length > 0);
      for (const { os, nodeSelector } of pods) {
        assert.ok(os?.name);
        assert.equal(nodeSelector?.["kubernetes.io/os"], os.name);
      }
    });
  }

  it("get Windows images for the node's build, and go to nodes of that build only", async () => {
    const node = { os: "windows", windowsBuild: "10.0.26100", agnhost: agnhostImage } as const;
    const shop = fitted(await readSample("shop"), node);
    assert.deepEqual(
      podsOf(shop).map(({ containers, nodeSelector }) => [containers[0]?.image, nodeSelector]),
      [
        [
          "mcr.microsoft.com/windows/servercore:ltsc2025",
          { "kubernetes.io/os": "windows", "node.kubernetes.io/windows-build": "10.0.26100" },
        ],
        ["docker.io/library/nginx:1.28", { "kubernetes.io/os": "linux" }],
      ],
    );
    for (const { metadata } of shop) assert.equal(metadata.namespace, namespace);
  });

  it("are on Linux the same, but for the system, the image and the node's folder", async () => {
    const objects = await readSample("settings");
    const linux = fitted(objects, { os: "linux", agnhost: "mirror.example/agnhost:1" });
    const [before] = podsOf(objects);
    const [after] = podsOf(linux);
    assert.deepEqual(after?.os, { name: "linux" });
    assert.deepEqual(after.nodeSelector, { "kubernetes.io/os": "linux" });
    const images = after.containers.map(({ image }) => image);
    assert.deepEqual(images, ["mirror.example/agnhost:1", "mirror.example/agnhost:1"]);
    assert.deepEqual(after.volumes?.at(-1)?.hostPath?.path, "/etc");
    assert.deepEqual(
      after.containers.map(({ volumeMounts }) => volumeMounts),
      before?.containers.map(({ volumeMounts }) => volumeMounts),
    );
    assert.equal(linux.at(-1)?.metadata.name, "settings-linux");
  });

  it("have a script that Windows PowerShell 5.1 reads", async () => {
    const objects = await readSample("web-server");
    const [map] = objects as readonly { data?: Record<string, string> }[];
    const script = parsePowerShell(map?.data?.["Start-WebServer.ps1"] ?? assert.fail("no script"));
    assert.equal(script.hasError, false);
  });
});

const titled = ({ kind, metadata }: SampleObject): string => `${kind} ${metadata.name}`;

function podsOf(objects: readonly SampleObject[]): readonly V1PodSpec[] {
  return objects.flatMap(({ kind, spec }) => {
    const pod = kind === "Pod" ? spec : spec?.template?.spec;
    return pod === undefined ? [] : [pod as V1PodSpec];
  });
}
