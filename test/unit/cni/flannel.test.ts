import assert from "node:assert/strict";

import { cniConf, netConf } from "../../../components/cni/flannel/flannel-config.ts";
import {
  flannelAccount,
  flannelBinding,
  flannelConfigMap,
  flannelConfigMapName,
  flannelDaemonSet,
  flannelNamespace,
  flannelRole,
} from "../../../components/cni/flannel/flannel-objects.ts";
import {
  windowsNodesBinding,
  windowsNodesRole,
} from "../../../components/cni/flannel/windows-access.ts";
import { windowsCniConf } from "../../../components/cni/flannel/windows-files.ts";
import { assertGolden, yamlText } from "../controlplane/golden.ts";

const here = new URL(import.meta.url);

describe("Flannel's objects", () => {
  it("are what its own manifest has, for Linux nodes", () => {
    const files = { netConf: netConf("10.244.0.0/16", "vxlan"), cniConf: cniConf() };
    const map = flannelConfigMap(files);
    const texts = Object.entries(map.data as Record<string, string>);
    const data = Object.fromEntries(
      texts.map(([name, text]) => [name, JSON.parse(text) as unknown]),
    );
    const objects = [
      ...[flannelNamespace(), flannelAccount(), flannelRole(), flannelBinding(), { ...map, data }],
      flannelDaemonSet(flannelConfigMapName(files)),
    ];
    assertGolden(here, "flannel.yaml", yamlText(...objects));
  });

  it("have plain routes where these are asked for", () => {
    assert.deepEqual(netConf("10.1.0.0/16", "host-gw"), {
      Network: "10.1.0.0/16",
      EnableNFTables: false,
      Backend: { Type: "host-gw" },
    });
  });

  it("let a Windows node's flanneld see the Nodes, with kubelet's credentials and no more", () => {
    const text = yamlText(windowsNodesRole(), windowsNodesBinding());
    assertGolden(here, "flannel-windows.yaml", text);
  });

  it("have a CNI configuration for Windows nodes, by backend", () => {
    const network = { podCidr: "10.244.0.0/16", serviceCidr: "10.96.0.0/16" };
    const files = (["vxlan", "host-gw"] as const).map((backend) =>
      windowsCniConf({ ...network, backend, nodeCidr: "192.168.150.0/24" }, "192.168.150.10"),
    );
    assertGolden(here, "flannel-windows-cni.yaml", yamlText(...files));
  });
});
