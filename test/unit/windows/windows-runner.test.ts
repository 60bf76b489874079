import assert from "node:assert/strict";
import { cp, mkdir, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";

import { imageSoftware, type WindowsSoftware } from "../../../components/windows/software.ts";
import { nodeSteps } from "../../../components/windows/steps.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import type { FakeMedia } from "../../rehearsed-machine/fake-media.ts";
import {
  startRehearsedMachine,
  type RehearsedMachine,
} from "../../rehearsed-machine/in-process.ts";
import { completed, copyAll, type Driven, driveSteps } from "../../windows-runner/drive.ts";
import { bundleDriver } from "../../windows-runner/pack.ts";
import { discFiles, plannedSteps, runnerPlan, unknowns } from "../../windows-runner/runner-plan.ts";
import { newFolder } from "../new-folder.ts";
import { listing } from "../rehearsal/machine/machine-listing.ts";
import { adminKey, loginOf } from "../rehearsal/machine/ssh-client.ts";

const settings = resolveSettings(
  { cni: { kind: "flannel" }, nodes: [{ name: "win-1" }] },
  { stack: "x", file: "Pulumi.x.yaml" },
);

const facts = { computer: "win-1", address: "192.168.150.10", gateway: "192.168.150.1" };

function softwareOf(media: FakeMedia): WindowsSoftware {
  const versions = { kubernetes: "1.36.4", containerd: "2.4.2" };
  const names = ["flannel", "flannelPlugin", "cniPlugins"] as const;
  const ofNetwork = names.map((name) => {
    const { fileName, sha256 } = media[name];
    return [name, { uri: `https://example.com/${fileName}`, sha256, origin: "image" }] as const;
  });
  const software = imageSoftware(versions, { windowsBuild: "", media });
  return { ...software, ...Object.fromEntries(ofNetwork) };
}

describe("what a Windows runner runs", () => {
  let machine: RehearsedMachine;
  let driven: Driven;
  const said: string[] = [];

  before(async () => {
    machine = await startRehearsedMachine({ hostName: "win-1", authorizedKeys: [adminKey.public] });
    const { plan, home } = await runnerPlan(softwareOf(machine.media), settings);
    const packed = newFolder();
    await cp(home, path.join(packed, "home"), { recursive: true });
    await mkdir(path.join(packed, "media"));
    const scripts = path.join(projectRoot, "test/windows-runner");
    await cp(
      path.join(scripts, "Get-MachineState.ps1"),
      path.join(packed, "runner/Get-MachineState.ps1"),
    );
    const say = (line: string): void => void said.push(line);
    driven = { login: loginOf(machine), facts, plan, packed, say };
    await mkdir(path.join(machine.driveC, "kindows/runner"), { recursive: true });
    await mkdir(path.join(machine.driveC, "kindows/media"), { recursive: true });
    await copyAll(driven);
  });
  after(() => machine.stop());

  it("is every step of a node but those that need a cluster or scripts, or cut the connection", () => {
    const cannot = [
      "Join-Node",
      "Add-ExternalNetwork",
      "Confirm-ExternalNetwork",
      "Install-HybridOverlay",
      "Invoke-ScriptBeforeJoin",
      "Invoke-ScriptAfterJoin",
    ];
    const wanted = nodeSteps.map(({ name }) => name).filter((name) => !cannot.includes(name));
    wanted.splice(wanted.indexOf("Install-Containerd") + 1, 0, "Add-ContainerImage");
    const names = driven.plan.steps.map(({ script }) => script.name);
    assert.deepEqual(names, [...wanted, "Export-NodeLog"]);
  });

  it("gets values for all its parameters, with nothing unknown left", async () => {
    for (const { script, values } of await plannedSteps(softwareOf(machine.media))) {
      assert.deepEqual(
        Object.keys(values).sort(),
        Object.keys(script.parameters).sort(),
        script.name,
      );
      const known = JSON.stringify(completed(values, facts));
      for (const unknown of Object.values(unknowns))
        assert.ok(!known.includes(unknown), script.name);
    }
  });

  /** The interpreter refuses the script for a real Windows. */
  const state = async (): Promise<string[]> =>
    Object.entries(await listing(machine)).map(([name, value]) => `${name}: ${value}`);

  it("ends where a step wants a reboot, which a runner cannot have", async () => {
    await assert.rejects(driveSteps(driven, state), /Enable-ContainersFeature wants a reboot/);
    await machine.up();
    const confirm = driven.plan.steps.filter(({ script }) => script.name === "Confirm-Reboot");
    await driveSteps({ ...driven, plan: { ...driven.plan, steps: confirm } }, state);
  });

  it("runs over SSH twice, is reset, and leaves the machine as it was", async () => {
    const { done, wrong } = await driveSteps(driven, state);
    assert.deepEqual(wrong, []);
    assert.equal(done.length, 2 * driven.plan.steps.length + 2);
    const changed = done.filter((each) => each.changed).map(({ name, run }) => `${name} ${run}`);
    assert.ok(changed.includes("Install-Flannel 1"));
    assert.deepEqual(
      changed.filter((each) => each.endsWith(" 2")),
      [],
    );
  });

  it("tells what changes again, and what the reset leaves", async () => {
    const [hosts] = driven.plan.steps.filter(({ script }) => script.name === "Set-HostsEntry");
    assert.ok(hosts);
    const other = { ...hosts, values: { ...hosts.values, Entry: "192.0.2.2=other" } };
    const states = [
      ["a", "b"],
      ["b", "c"],
    ];
    const { wrong } = await driveSteps(
      { ...driven, plan: { ...driven.plan, steps: [hosts, other] } },
      () => Promise.resolve(states.shift() ?? []),
    );
    assert.deepEqual(wrong, [
      "Set-HostsEntry changed something in its second run",
      "Set-HostsEntry changed something in its second run",
      "after the reset there is: c",
      "after the reset there is no: a",
    ]);
  });

  it("ends with a step's own message when it fails", async () => {
    const [check] = driven.plan.steps;
    assert.ok(check);
    const wanting = { ...check, values: { ...check.values, MinimumBuild: 99999 } };
    await assert.rejects(
      driveSteps({ ...driven, plan: { ...driven.plan, steps: [wanting] } }, state),
      /Test-WindowsHost on win-1 failed \(HostUnsuitable\): .*99999/,
    );
  });

  it("needs nothing of the tree once it is packed, and makes keys of its own", async () => {
    const folder = newFolder();
    await bundleDriver(folder);
    assert.deepEqual(await readdir(folder), ["drive.mjs"]);
    await execa("node", [path.join(folder, "drive.mjs"), "keys", folder], { cwd: folder });
    const login = JSON.parse(await readFile(path.join(folder, "login.json"), "utf8")) as object;
    assert.deepEqual(Object.keys(login).sort(), ["hostKey", "privateKey"]);
    assert.deepEqual((await readdir(path.join(folder, "disc/ssh"))).sort(), [
      "administrators_authorized_keys",
      "ssh_host_ed25519_key",
      "ssh_host_ed25519_key.pub",
      "sshd_config",
    ]);
  });

  it("has the image's scripts beside it, and what they bake", () => {
    const { texts, files } = discFiles(softwareOf(machine.media), settings);
    assert.deepEqual(Object.keys(texts).sort(), ["bake.json", "sealed.xml"]);
    for (const name of [
      "Initialize-Image.ps1",
      "Complete-Image.ps1",
      "lib/Sealing.ps1",
      "Install-Containerd.ps1",
    ]) {
      assert.ok(files.has(name), name);
    }
  });
});
