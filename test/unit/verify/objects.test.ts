import assert from "node:assert/strict";

import type { V1DaemonSet, V1PodSpec, V1Service } from "@kubernetes/client-node";

import { agnhostImage } from "../../../components/controlplane/node-image/container-images.ts";
import { windowsRelease } from "../../../verify/cluster/facts.ts";
import { namespace, podDomain, type Part } from "../../../verify/objects/names.ts";
import { allRoles } from "../../../verify/objects/roles.ts";
import { fitted, readSample, sampleFile } from "../../../verify/objects/samples.ts";
import type { SampleObject } from "../../../verify/objects/samples.ts";
import { daemonSet, namespaceObject, workloads } from "../../../verify/objects/workloads.ts";
import { allRows } from "../../../verify/rows/select.ts";
import type { Os } from "../../../verify/rows/row.ts";
import { parsePowerShell } from "../windows/step-scripts.ts";

const podOf = (os: Os, part: Part): V1PodSpec =>
  daemonSet({ os, part }, "image").spec?.template.spec ?? assert.fail();

describe("what rows need in the cluster", () => {
  it("is made once for all of them, each kind of pods and Services with what serves, in our namespace", () => {
    const objects = workloads(allRoles(allRows), "image");
    const parts = ["client", "host-port", "host-server", "isolated", "node", "server"];
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata?.name}`);
    assert.deepEqual(names.sort(), [
      ...parts.map((part) => `DaemonSet linux-${part}`),
      ...parts.map((part) => `DaemonSet windows-${part}`),
      ...["Service linux", "Service linux-pods", "Service windows"],
      ...["Service windows-host", "Service windows-pods"],
    ]);
    const namespaces = new Set(objects.map(({ metadata }) => metadata?.namespace));
    assert.deepEqual([...namespaces, namespaceObject().metadata?.name], [namespace, namespace]);
  });

  it("runs on every node of its system, whatever its taints, on no other, and without rights", () => {
    for (const os of ["linux", "windows"] as const) {
      const pod = podOf(os, "server");
      assert.deepEqual(pod.nodeSelector, { "kubernetes.io/os": os });
      assert.deepEqual(pod.tolerations, [{ operator: "Exists" }]);
      assert.equal(pod.automountServiceAccountToken, false);
    }
  });

  it("is on the node's own network only where that is what is tried", () => {
    const linux = podOf("linux", "node");
    assert.deepEqual([linux.hostNetwork, linux.securityContext], [true, undefined]);
    for (const part of ["node", "host-server"] as const) {
      const { hostNetwork, securityContext } = podOf("windows", part);
      assert.deepEqual([hostNetwork, securityContext?.windowsOptions?.hostProcess], [true, true]);
    }
    const isolated = podOf("windows", "client");
    assert.deepEqual([isolated.hostNetwork, isolated.securityContext], [undefined, undefined]);
  });

  const copied =
    "copy /Y %CONTAINER_SANDBOX_MOUNT_POINT%\\agnhost %CONTAINER_SANDBOX_MOUNT_POINT%\\agnhost.exe && %CONTAINER_SANDBOX_MOUNT_POINT%\\agnhost.exe";
  const rule = (verb: string): string =>
    `netsh advfirewall firewall ${verb} rule name=${namespace}`;
  for (const [part, command, preStop, grace] of [
    ["node", `cmd /C ${copied} pause`, undefined, 1],
    [
      "host-server",
      `cmd /C ${rule("add")} dir=in action=allow protocol=TCP localport=28081 & ${copied} netexec --http-port=28081 --udp-port=-1`,
      rule("delete"),
      15,
    ],
  ] as const) {
    it(`is a program to cmd.exe on Windows' own network, and leaves no rule of the firewall: ${part}`, () => {
      const { containers, terminationGracePeriodSeconds } = podOf("windows", part);
      const [{ args, command: words, lifecycle, readinessProbe } = assert.fail()] = containers;
      assert.deepEqual([args, words?.join(" ")], [undefined, command]);
      assert.equal(lifecycle?.preStop?.exec?.command?.join(" "), preStop);
      assert.equal(readinessProbe?.httpGet?.port, preStop && 28081);
      assert.equal(terminationGracePeriodSeconds, grace);
      assert.equal(podOf("linux", part).containers[0]?.command, undefined);
    });
  }

  it("leads to what serves on the nodes' network by a Service of its own", () => {
    const roles = [{ os: "windows", part: "host-server" }] as const;
    const [set, service, ...others] = workloads(roles, "image");
    assert.deepEqual([set?.kind, service?.kind, others], ["DaemonSet", "Service", []]);
    const { spec } = service as V1Service;
    assert.deepEqual(spec?.selector, (set as V1DaemonSet).spec?.template.metadata?.labels);
    assert.deepEqual(spec?.ports, [{ port: 80, targetPort: 28081 }]);
    assert.equal(spec?.type, "NodePort");
  });
});

describe("names and images", () => {
  it("of a server are what DNS calls an endpoint", () => {
    const domain = podDomain("windows", "10.244.3.7");
    assert.equal(domain, "10-244-3-7.windows-pods.kindows-verify.svc.cluster.local");
  });

  it("of Windows go by the build of the node", () => {
    assert.equal(windowsRelease("10.0.20348"), "ltsc2022");
    assert.equal(windowsRelease("10.0.26100"), "ltsc2025");
    assert.throws(() => windowsRelease("10.0.1"), /build "10\.0\.1".*those known are 10\.0\.17763/);
  });
});

describe("the samples", () => {
  for (const look of ["settings", "web-server", "shop"] as const) {
    it(`${look}: have a name each, for the namespace one is in; each pod says its system`, async () => {
      const objects = await readSample(sampleFile(look));
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
    const shop = fitted(await readSample(sampleFile("shop")), node);
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
    const objects = await readSample(sampleFile("settings"));
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
    const objects = await readSample(sampleFile("web-server"));
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
