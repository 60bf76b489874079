import assert from "node:assert/strict";
import { calicoBootTime, listing, networkNames } from "./machine-listing.ts";
import {
  assertDone,
  assertFails,
  base64,
  holdWait,
  hostFor,
  prepareThrough,
  runGood,
  runStep,
  type StepRun,
} from "./step-runner.ts";

const program = "C:\\k\\flanneld.exe";
const network = ["-Address", "192.168.150.11", "-Network", "flannel.4096"];

describe("Flannel, rehearsed", () => {
  const machine = hostFor("each");

  const install = (given?: Readonly<Record<string, string>>): Promise<StepRun> =>
    runGood(machine, "Install-Flannel", given);
  const starts = (): number =>
    machine.programs.commands.filter((line) => line.startsWith(program)).length;
  /** A node whose network flanneld has made. */
  const becomeNode = async (): Promise<void> => {
    await prepareThrough(machine, "Install-Kubernetes");
    for (const [step, given] of [
      ["Install-Flannel", {}],
      ["Set-HostsEntry", {}],
      ["Join-Node", {}],
      ["Add-ExternalNetwork", { "-Network": "flannel.4096" }],
    ] as const) {
      await assertDone(runGood(machine, step, given));
    }
    await machine.windows.tasksEnded();
  };

  it("is installed and not started; the second run changes nothing", async () => {
    await prepareThrough(machine, "Install-Kubernetes");
    await assertDone(install(), true);
    const { drive, services } = machine.windows;
    for (const name of ["flannel", "host-local", "win-bridge", "win-overlay"]) {
      assert.equal(await drive.isFile(`C:\\opt\\cni\\bin\\${name}.exe`), true, name);
    }
    assert.equal(
      await drive.readText("C:\\etc\\kube-flannel\\net-conf.json"),
      '{"Network":"10.244.0.0/16"}',
    );
    const service = services.get("flanneld");
    assert.deepEqual([service?.startType, service?.restarts], ["manual", true]);
    assert.deepEqual(services.environment("flanneld"), ["NODE_NAME=win-1"]);
    assert.equal(await services.isRunning("flanneld"), false);
    await assertDone(install(), false, { flanneldFrom: "installed", serviceHost: "installed" });
  });

  it("makes its network after the join, opens VXLAN's port, and starts with Windows from then on", async () => {
    await becomeNode();
    const { services } = machine.windows;
    assert.deepEqual(networkNames(machine.windows), ["flannel.4096"]);
    assert.equal(calicoBootTime(machine.windows), undefined);
    assert.equal(services.get("flanneld")?.startType, "auto");
    assert.ok(
      machine.programs.commands.includes(
        `${program} --kube-subnet-mgr --ip-masq --kubeconfig-file=C:/etc/kubernetes/kubelet.conf ` +
          "--net-config-path=C:/etc/kube-flannel/net-conf.json --subnet-file=C:/run/flannel/subnet.env " +
          "--iface=192.168.150.11",
      ),
      machine.programs.commands.join("\n"),
    );
    await assertDone(runStep(machine, "Confirm-ExternalNetwork", network), undefined, {
      network: "flannel.4096",
    });
    await assertDone(runStep(machine, "Add-ExternalNetwork", network), false);
    await machine.programs.reboot(0);
    await machine.up();
    assert.equal(await machine.windows.services.isRunning("flanneld"), true);
  });

  it("opens no port for plain routes", async () => {
    await prepareThrough(machine, "Install-Kubernetes");
    const bridge = '{"Network":"10.244.0.0/16","Backend":{"Type":"host-gw"}}';
    await install({ "-NetConf": base64(bridge) });
    const args = ["-Address", "192.168.150.11", "-Network", "cbr0"];
    await assertDone(runStep(machine, "Add-ExternalNetwork", args));
    await machine.windows.tasksEnded();
    assert.deepEqual(networkNames(machine.windows), ["cbr0"]);
    assert.equal(machine.windows.state.firewallRules["OverlayTraffic4789UDP"], undefined);
  });

  it("is wanted first where its network is to be made, which is not tried without it", async () => {
    await prepareThrough(machine, "Install-Kubernetes");
    const add = runStep(machine, "Add-ExternalNetwork", network);
    await assertFails(add, "FlannelMissing", /./, /Install-Flannel first/);
    const confirm = (): Promise<StepRun> => runStep(machine, "Confirm-ExternalNetwork", network);
    holdWait(machine.time, 600); // the rescue reboot
    await confirm();
    await machine.windows.tasksEnded();
    assert.match((await confirm()).errorMessage, /\(failed\)\. There is no service flanneld/);
    assert.deepEqual(networkNames(machine.windows), []);
  });

  it("another configuration stops the service in use, and starts it again; pods keep their network", async () => {
    await becomeNode();
    const before = starts();
    const netConf = { "-NetConf": base64('{"Network":"10.245.0.0/16"}') };
    await assertDone(install(netConf), true);
    assert.equal(starts(), before + 1);
    assert.equal(await machine.windows.services.isRunning("flanneld"), true);
    assert.deepEqual(networkNames(machine.windows), ["flannel.4096"]);
    // CNI's is read for each pod: no reason to stop anything.
    const cniConf = { ...netConf, "-CniConf": base64('{"name":"other"}') };
    await assertDone(install(cniConf), true);
    assert.equal(starts(), before + 1);
  });

  it("goes over to plain routes and back: the other backend's network makes room, outside of any session", async () => {
    await becomeNode();
    const before = starts();
    for (const [name, type] of [
      ["cbr0", "host-gw"],
      ["flannel.4096", "vxlan"],
    ] as const) {
      const [former] = networkNames(machine.windows);
      const netConf = JSON.stringify({ Network: "10.244.0.0/16", Backend: { Type: type } });
      await assertDone(install({ "-NetConf": base64(netConf) }), true);
      assert.deepEqual(networkNames(machine.windows), [former], "as long as somebody is connected");
      assert.equal(await machine.windows.services.isRunning("flanneld"), false);
      const args = ["-Address", "192.168.150.11", "-Network", name];
      await assertDone(runStep(machine, "Add-ExternalNetwork", args), true);
      await machine.windows.tasksEnded();
      assert.deepEqual(networkNames(machine.windows), [name]);
      await assertDone(runStep(machine, "Confirm-ExternalNetwork", args), false);
      assert.equal(await machine.windows.services.isRunning("flanneld"), true);
    }
    assert.equal(starts(), before + 2);
  });

  it("learns of another cluster that the node joins, and keeps its network meanwhile", async () => {
    await becomeNode();
    const before = starts();
    const other = { "-ApiServerEndpoint": "other-control-plane:6443" };
    await assertDone(runGood(machine, "Join-Node", other), undefined, { wasReset: true });
    assert.equal(starts(), before + 1);
    assert.deepEqual(networkNames(machine.windows), ["flannel.4096"]);
    // The same cluster once more: nothing of it is stopped.
    await assertDone(runGood(machine, "Join-Node", other));
    assert.equal(starts(), before + 1);
  });

  it("a file of it that somebody has open is reported, and replaced by the next run", async () => {
    await becomeNode();
    await machine.windows.drive.remove("C:\\k\\flannel.sha256");
    machine.windows.openFiles.add(program);
    await assertFails(install(), "FileInUse", /flanneld\.exe can't be replaced/);
    assert.equal(await machine.windows.services.isRunning("flanneld"), true);
    machine.windows.openFiles.clear();
    await assertDone(install());
  });

  it("is taken away by a reset: service, programs, files, network, port", async () => {
    const before = await listing(machine);
    await becomeNode();
    await machine.windows.drive.write("C:\\run\\flannel\\subnet.env", "FLANNEL_MTU=1450\n");
    await machine.windows.drive.write("C:\\var\\lib\\cni\\networks\\flannel.4096\\10.244.1.2", "x");
    await machine.windows.drive.write("C:\\var\\log\\flanneld\\flanneld.log", "x");
    const result = await assertDone(runStep(machine, "Reset-Node"));
    const removed = (result.facts["removed"] as string[]).join("\n");
    for (const each of [
      /service flanneld/,
      /network flannel\.4096/,
      /rule OverlayTraffic4789UDP/,
    ]) {
      assert.match(removed, each);
    }
    assert.deepEqual(await listing(machine), before);
  });
});
