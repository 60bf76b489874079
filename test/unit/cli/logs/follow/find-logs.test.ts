import assert from "node:assert/strict";

import { findLogs } from "../../../../../cli/logs/follow/find-logs.ts";
import { windowsLogs } from "../../../../../cli/logs/follow/node-logs.ts";
import { FilesInMemory } from "./files-in-memory.ts";

const pods = "C:/var/log/pods";
const there: readonly string[] = [
  "C:/var/log/kubelet/kubelet.log",
  "C:/var/log/kubelet/kubelet-20261122-113238.log",
  "C:/var/log/containerd/containerd.log",
  "C:/var/log/calico/cni/cni.log",
  "C:/var/log/calico/cni/cni-2026-11-22T11-32-38.123.log",
  `${pods}/kube-system_kube-proxy-windows-x7k2p_1234/kube-proxy/0.log`,
  `${pods}/kube-system_kube-proxy-windows-x7k2p_1234/kube-proxy/0.log.20261122-113238`,
  `${pods}/calico-system_calico-node-windows-abcde_1234/felix/3.log`,
  `${pods}/default_app_1234/app/0.log`,
];
const labels: readonly string[] = ["kubelet", "containerd", "calico/cni", "kube-proxy", "felix"];

describe("log files of a Windows node", () => {
  it("are found by their patterns, without their old halves and other pods", async () => {
    const files = new FilesInMemory();
    for (const file of there) files.append(file, "x\n");
    const found: string[] = [];
    for (const { path, label } of windowsLogs) {
      for (const file of await findLogs(files, path)) found.push(label(file));
    }
    assert.deepEqual(found, labels);
  });

  it("are none on an empty machine", async () => {
    for (const { path } of windowsLogs) {
      assert.deepEqual(await findLogs(new FilesInMemory(), path), []);
    }
  });

  it("are found whatever the case of a letter, and dots mean dots", async () => {
    const files = new FilesInMemory();
    files.append("C:/logs/One.LOG", "");
    files.append("C:/logs/oneXlog", "");
    assert.deepEqual(await findLogs(files, "C:/logs/*.log"), ["C:/logs/One.LOG"]);
  });
});
