import assert from "node:assert/strict";
import path from "node:path";
import { calicoVariable } from "../../rehearsal/image/calico-programs.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { calicoCluster } from "../e2e/calico-cluster.ts";
import { type LabSettings, succeeded, TestLab } from "../e2e/lab.ts";
import {
  hasPathsAfterPowerCycle,
  takesInSecondWindowsNode,
  verifiesLinuxPaths,
} from "../e2e/verified.ts";

/** What is in Calico's images for Windows. */
const archive = path.join(projectRoot, "../shared/calico/windows.tar.xz");

/** Tigera's operator and Calico themselves, on Linux nodes and, under Wine, on the rehearsed Windows node. */
describe("a rehearsal lab with Calico's own programs on Windows", function () {
  this.bail(true);
  // They take long to start on an emulated processor.
  this.timeout(1_800_000);

  const lab = new TestLab("e2ecalwin");
  let cluster: LabSettings;

  const configure = (...windows: readonly string[]): Promise<void> =>
    lab.configure({
      ...cluster,
      ...{ network: { cidr: "192.168.163.0/24" }, cni: { kind: "calico" } },
      nodes: windows.map((name) => ({ name })),
    });

  before(async function () {
    cluster = await calicoCluster(this, ["worker-1", "worker-2"], archive);
    process.env[calicoVariable] = archive;
    await configure("win-1");
    await lab.kindows("down");
  });
  after(async () => {
    await lab.remove();
    delete process.env[calicoVariable];
  });

  it("comes up with one command", async () => {
    await succeeded(lab.kindows("up"), "up");
    assert.ok((await lab.readyNodes()).includes("win-1"));
  });

  it("runs Calico's own programs on the Windows node, and kube-proxy with them", async () => {
    // A container that is only modelled says so in its first line.
    const log = (namespace: string, set: string, container: string): Promise<string> =>
      lab.kubectl(
        "-n",
        namespace,
        "logs",
        `daemonset/${set}`,
        "-c",
        container,
        "--limit-bytes=4000",
      );
    for (const container of ["felix", "node"]) {
      const first = await log("calico-system", "calico-node-windows", container);
      assert.doesNotMatch(first, /rehearsed: this container/, container);
    }
    const proxy = await log("kube-system", "kube-proxy-windows", "kube-proxy");
    assert.match(proxy, /starting kube-proxy\.exe /);
  });

  it("plans nothing", () => lab.plansNothing());

  it("verifies every path, policies too", () => verifiesLinuxPaths(lab, 1, "calico-windows"));

  it("has the same paths after its Windows node was turned off and on", () =>
    hasPathsAfterPowerCycle(lab, [
      "windows-policy-default-deny-control",
      "windows-policy-default-deny",
    ]));

  it("takes in a second Windows node, verifies the paths between the two, lets it go, and touches nothing else", () => {
    const linux = [
      lab.controlPlane,
      ...["worker-1", "worker-2"].map((name) => `${lab.prefix}-${name}`),
    ];
    return takesInSecondWindowsNode(lab, configure, linux, "calico-windows");
  });

  it("goes down and leaves nothing behind", async () => {
    await succeeded(lab.kindows("down"));
    await succeeded(lab.kindows("doctor"));
  });
});
