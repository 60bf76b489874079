import assert from "node:assert/strict";
import { listing, networkNames } from "./machine-listing.ts";
import {
  assertDone,
  assertFails,
  prepareThrough,
  runGood,
  runStep,
  hostFor,
  pathOf,
  type StepRun,
} from "./step-runner.ts";

const network = "OVNKubernetesHybridOverlayNetwork";
const configuration = "C:\\etc\\cni\\net.d\\10-hybrid-overlay.conflist";
const program = "C:\\k\\hybrid-overlay-node.exe";

describe("the hybrid overlay of ovn-kubernetes, rehearsed", () => {
  const machine = hostFor("each");

  const install = (given?: Readonly<Record<string, string>>): Promise<StepRun> =>
    runGood(machine, "Install-HybridOverlay", given);
  const join = (): Promise<void> => prepareThrough(machine, "Join-Node");
  const starts = (): readonly string[] =>
    machine.programs.commands.filter((line) => line.startsWith(program));

  it("makes its network after the join, gives CNI its range, and starts with Windows; the second run changes nothing", async () => {
    await join();
    const first = await assertDone(install());
    assert.deepEqual(first.facts, {
      programFrom: "media",
      cniPluginsFrom: "media",
      subnet: "10.132.1.0/24",
    });
    const { drive, services } = machine.windows;
    assert.deepEqual(networkNames(machine.windows), [network]);
    const service = services.get("hybrid-overlay-node");
    assert.deepEqual([service?.startType, service?.restarts], ["auto", true]);
    assert.deepEqual(starts(), [
      `${program} --node win-1 --hybrid-overlay-vxlan-port=4789 --k8s-kubeconfig C:\\etc\\kubernetes\\kubelet.conf --logfile C:\\var\\log\\hybrid-overlay\\hybrid-overlay.log`,
    ]);
    assert.deepEqual(JSON.parse((await drive.readText(configuration)) ?? ""), {
      name: network,
      cniVersion: "1.0.0",
      plugins: [
        {
          type: "win-overlay",
          apiVersion: 2,
          capabilities: { portMappings: true, dns: true },
          loopbackDSR: true,
          ipam: { type: "host-local", subnet: "10.132.1.0/24" },
          policies: [
            ["OutBoundNAT", { Exceptions: ["10.132.1.0/24", "10.244.0.0/16", "10.96.0.0/12"] }],
            ["SDNRoute", { DestinationPrefix: "10.96.0.0/12", NeedEncap: true }],
            ["ProviderAddress", { ProviderAddress: "192.168.150.11" }],
          ].map(([Type, Settings]) => ({
            name: "EndpointPolicy",
            value: { Type, Settings },
          })),
        },
      ],
    });
    await assertDone(install(), false);
    assert.equal(starts().length, 1);
  });

  it("is started again where its port has changed, or it has ended", async () => {
    await join();
    await install();
    await assertDone(install({ "-VxlanPort": "9898" }), true);
    assert.match(starts().at(-1) ?? "", /--hybrid-overlay-vxlan-port=9898/);
    assert.equal(machine.windows.state.firewallRules["kindows-hybrid-overlay"]?.port, 9898);
    await machine.windows.services.stop("hybrid-overlay-node");
    await assertDone(install({ "-VxlanPort": "9898" }), true);
    assert.equal(await machine.windows.services.isRunning("hybrid-overlay-node"), true);
  });

  for (const medium of ["hybridOverlay", "cniPlugins"] as const) {
    it(`is not taken from a file of another checksum, and goes on with what it had: ${medium}`, async () => {
      await join();
      await install();
      const name = medium === "hybridOverlay" ? "-ProgramSha256" : "-CniPluginsSha256";
      const wrong = { [name]: "0".repeat(64) };
      await assertFails(install(wrong), "ChecksumMismatch");
      assert.equal(await machine.windows.services.isRunning("hybrid-overlay-node"), true);
      await machine.windows.drive.remove(pathOf(machine.media[medium]));
      await assertFails(install(wrong), "MediumMissing");
    });
  }

  it("is taken away by a reset: service, programs, files, network, port", async () => {
    const before = await listing(machine);
    await join();
    await install();
    await machine.windows.drive.write("C:\\var\\log\\hybrid-overlay\\hybrid-overlay.log", "x");
    const result = await assertDone(runStep(machine, "Reset-Node"));
    const removed = (result.facts["removed"] as string[]).join("\n");
    for (const each of ["service hybrid-overlay-node", `network ${network}`, "folder C:\\k"]) {
      assert.ok(removed.includes(each), each);
    }
    assert.deepEqual(await listing(machine), before);
  });
});
