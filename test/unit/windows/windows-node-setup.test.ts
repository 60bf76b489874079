import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { defaultSetup } from "../../../components/windows/node-setup.ts";
import { netConf } from "../../../components/cni/flannel/flannel-config.ts";
import { windowsCniConf } from "../../../components/cni/flannel/windows-files.ts";
import {
  makeNode,
  nodeResources as order,
  software,
  startMocks,
  valueOf,
} from "./windows-node-mocks.ts";

describe("a Windows node with a setup of its own", () => {
  const proxy = { http: "", https: "http://proxy.test:3128", noProxy: "localhost,.svc" };

  before(() => startMocks(false));

  it("gets its proxy before anything is installed, and loses it with the setting", async () => {
    const { resources } = makeNode({ setup: { ...defaultSetup, proxy } });
    assert.deepEqual(
      [...resources.keys()].filter((name) => !order.includes(name)),
      ["node", "node-set-machineproxy"],
    );
    const { props, opts, resource } = resources.get("node-set-machineproxy") ?? assert.fail();
    assert.match(
      String(await valueOf(props["create"])),
      /Set-MachineProxy\.ps1 -HttpProxy "" -HttpsProxy http:\/\/proxy\.test:3128 -NoProxy "localhost,\.svc"$/,
    );
    assert.match(String(props["delete"]), /-HttpProxy "" -HttpsProxy "" -NoProxy ""$/);
    const dependencies = (of: pulumi.CustomResourceOptions): unknown[] => [of.dependsOn].flat();
    assert.deepEqual(dependencies(opts), [resources.get("node-confirm-reboot")?.resource]);
    assert.deepEqual(dependencies(resources.get("node-install-containerd")?.opts ?? {}), [
      resource,
    ]);
  });

  it("gets routes when it has joined, which Ready waits for, and loses them with the setting", async () => {
    const routes = ["10.244.0.0/16", "10.96.0.0/16"].map((range) => ({
      range,
      nextHop: "192.168.150.128",
    }));
    const { resources } = makeNode({ routes: pulumi.output(routes) });
    assert.deepEqual(
      [...resources.keys()].filter((name) => !order.includes(name)),
      ["node", "node-set-clusterroute"],
    );
    const { props, opts, resource } = resources.get("node-set-clusterroute") ?? assert.fail();
    assert.match(
      String(await valueOf(props["create"])),
      /Set-ClusterRoute\.ps1 -Route "10\.244\.0\.0\/16=192\.168\.150\.128;10\.96\.0\.0\/16=192\.168\.150\.128"$/,
    );
    assert.match(String(props["delete"]), /Set-ClusterRoute\.ps1 -Route ""$/);
    const needed = (of: pulumi.CustomResourceOptions = {}): unknown[] => [of.dependsOn].flat();
    assert.deepEqual(needed(opts), [resources.get("node-join-node")?.resource]);
    assert.ok(needed(resources.get("node-ready")?.opts).includes(resource));
    assert.ok(!needed(resources.get("node-registration")?.opts).includes(resource));
  });

  it("gets Calico's network when all is installed, before it waits for the control plane", async () => {
    const { resources } = makeNode({ setup: { ...defaultSetup, podNetwork: "calico" } });
    const names = ["node-add-externalnetwork", "node-confirm-externalnetwork"];
    assert.deepEqual(
      [...resources.keys()].filter((name) => !order.includes(name)),
      ["node", ...names],
    );
    for (const name of names) {
      assert.match(
        String(await valueOf(resources.get(name)?.props["create"])),
        /-ExternalNetwork\.ps1 -Address 192\.168\.150\.10 -DelaySeconds 5 -Network External$/,
      );
    }
    const before = (name: string): unknown => [resources.get(name)?.opts.dependsOn].flat()[0];
    const chain = ["node-install-kubernetes", ...names, "node-set-hostsentry"];
    for (const [index, name] of chain.slice(1).entries()) {
      assert.equal(before(name), resources.get(chain[index] ?? "")?.resource, name);
    }
    assert.match(
      String(await valueOf(resources.get("node-test-windowshost")?.props["create"])),
      / -PodNetwork calico$/,
    );
  });

  describe("with Flannel", () => {
    const network = {
      backend: "vxlan",
      podCidr: "10.244.0.0/16",
      serviceCidr: "10.96.0.0/16",
      nodeCidr: "192.168.150.0/24",
    } as const;
    const setup = { ...defaultSetup, podNetwork: { kind: "flannel", network } } as const;
    const carried = (name: string, digit: string) =>
      ({ uri: `https://example.com/${name}`, sha256: digit.repeat(64), origin: "image" }) as const;
    const withFlannel = {
      ...software,
      flannel: carried("flannel.tar.gz", "a"),
      flannelPlugin: carried("plugin.tgz", "b"),
      cniPlugins: carried("plugins.tgz", "c"),
    };

    it("gets the service before the join, its network after it, and is Ready after that", async () => {
      const { resources } = makeNode({ setup, software: withFlannel, nodeIp: "192.168.150.77" });
      const command = async (name: string): Promise<string> =>
        String(await valueOf(resources.get(name)?.props["create"]));
      const installed = await command("node-install-flannel");
      assert.match(installed, / -NodeName win-1 -NodeIp 192\.168\.150\.77 /);
      const files = [...installed.matchAll(/-(?:NetConf|CniConf) (\S+)/g)].map(
        ([, text = ""]) => JSON.parse(Buffer.from(text, "base64").toString()) as unknown,
      );
      assert.deepEqual(files, [
        netConf(network.podCidr, "vxlan"),
        windowsCniConf(network, "192.168.150.77"),
      ]);
      assert.match(await command("node-test-windowshost"), / -PodNetwork flannel$/);
      assert.match(
        await command("node-add-externalnetwork"),
        / -Address 192\.168\.150\.10 -DelaySeconds 5 -Network flannel\.4096$/,
      );
      const before = (name: string): unknown[] => [resources.get(name)?.opts.dependsOn].flat();
      const chain = [
        ...["node-install-kubernetes", "node-install-flannel", "node-set-hostsentry"],
        ...["node-join-node", "node-add-externalnetwork", "node-confirm-externalnetwork"],
      ];
      for (const [index, name] of chain.slice(1).entries()) {
        assert.equal(before(name)[0], resources.get(chain[index] ?? "")?.resource, name);
      }
      const confirmed = resources.get("node-confirm-externalnetwork")?.resource;
      assert.ok(before("node-ready").includes(confirmed));
      // Pods that every node has need not wait for it.
      assert.ok(!before("node-registration").includes(confirmed));
    });

    it("is refused where its programs are not among the software", () => {
      assert.throws(() => makeNode({ setup }), /win-1: Flannel is to be installed/);
    });
  });

  it("is waited for to become Ready only once there is a network for its pods", async () => {
    const { local } = await import("@pulumi/command");
    const podNetwork = new local.Command("pod-network", { create: "true" });
    const { resources } = makeNode({ podNetwork });
    const needed = (name: string): unknown[] => [resources.get(name)?.opts.dependsOn].flat();
    const registration = resources.get("node-registration")?.resource;
    assert.deepEqual(needed("node-ready"), [registration, podNetwork]);
    // All before it goes on meanwhile.
    assert.ok(!needed("node-registration").includes(podNetwork));
  });

  it("passes mirrors and Defender's exclusions to Install-Containerd", async () => {
    const setup = {
      ...defaultSetup,
      registryMirrors: { "docker.io": ["https://a.test", "https://b.test"] },
      defenderExclusions: false,
      proxy: undefined,
    };
    const { resources } = makeNode({ setup });
    assert.match(
      String(await valueOf(resources.get("node-install-containerd")?.props["create"])),
      / -RegistryMirrors "docker\.io=https:\/\/a\.test,https:\/\/b\.test" -DefenderExclusions 0 -CrictlPath "" -CrictlSha256 ""$/,
    );
    assert.ok(!resources.has("node-set-machineproxy"));
  });
});
