import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { once } from "node:events";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { servePowerShell } from "../../../../rehearsal/machine/serve-powershell.ts";
import { projectRoot } from "../../../../toolchain/project.ts";
import { fakeExecutable } from "../../../rehearsed-machine/fake-programs.ts";
import { hostFor } from "./step-runner.ts";

const archive = join(projectRoot, "../shared/calico/windows.tar.xz");

/** Folder of a HostProcess container. */
const mountPoint = "C:\\C\\0123";
const folder = `${mountPoint}\\CalicoWindows`;
/** The variables that the operator sets (pkg/render/windows.go). */
const variables = {
  CONTAINER_SANDBOX_MOUNT_POINT: mountPoint,
  CNI_PLUGIN_TYPE: "Calico",
  NODENAME: "win-1",
  KUBE_NETWORK: "Calico.*",
  CALICO_NETWORKING_BACKEND: "vxlan",
  VXLAN_VNI: "4096",
  VXLAN_ADAPTER: "",
  CNI_NET_DIR: "/host/etc/cni/net.d",
  CNI_BIN_DIR: "/host/opt/cni/bin",
  CNI_CONF_NAME: "10-calico.conflist",
};

/** What a script has written: parts, each with its stream and its length before it. */
function textOf(data: Buffer): string {
  const parts: string[] = [];
  for (let at = 0; at < data.length;) {
    const length = data[at] === "x".charCodeAt(0) ? 0 : data.readUInt32LE(at + 1);
    parts.push(data.toString("utf8", at + 5, at + 5 + length));
    at += 5 + length;
  }
  return parts.join("");
}

/** Calico's own scripts, unchanged, as the operator's DaemonSet starts them; calico-node.exe is a fake. */
describe("Calico's own scripts on the interpreter", function () {
  const machine = hostFor("each");
  let unpacked: string;
  let server: Server;
  let problems: string[];
  let socket: Socket | undefined;

  before(async function () {
    if (!existsSync(archive)) {
      console.log("      NOT RUN: there is no ../shared/calico/windows.tar.xz");
      this.skip();
    }
    unpacked = await mkdtemp(join(tmpdir(), "kindows-calico-"));
    const scripts = ["--wildcards", "*.ps1", "*.psm1"];
    execFileSync("tar", ["-xJf", archive, "-C", unpacked, ...scripts]);
  });
  after(() => rm(unpacked, { recursive: true, force: true }));

  beforeEach(async () => {
    const { windows } = machine;
    await windows.drive.write(`${folder}\\calico-node.exe`, fakeExecutable("calico-node", "3"));
    await cp(join(unpacked, "node-windows"), await windows.drive.resolve(mountPoint), {
      recursive: true,
    });
    windows.state.features.Containers = "Installed";
    await windows.drive.write("C:\\k\\kubelet.exe", fakeExecutable("kubelet", "1.36.4"));
    await windows.services.configure("kubelet", {
      ...{ commandLine: "C:\\k\\kubelet.exe", displayName: "kubelet", description: "" },
      ...{ startType: "auto", dependsOn: [], restarts: false },
    });
    await windows.services.start("kubelet");
    problems = [];
    server = await servePowerShell(windows, (line) => problems.push(line), 0);
  });
  afterEach(async () => {
    socket?.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Starts a script as hcsshim does. @returns what it has written so far, and its end */
  const start = (script: string, more: Readonly<Record<string, string>> = {}) => {
    const { port } = server.address() as AddressInfo;
    socket = connect(port, "127.0.0.1");
    const environment = Object.entries({ ...variables, ...more }).map(
      ([name, value]) => `${name}=${value}`,
    );
    const command = `powershell ${mountPoint}/${script}`;
    socket.write(`${[command, `${folder}\\`, ...environment].join("\x1f")}\0`);
    const received: Buffer[] = [];
    socket.on("data", (data: Buffer) => received.push(data));
    return { ended: once(socket, "close"), text: () => textOf(Buffer.concat(received)) };
  };

  const commands = (): string[] =>
    machine.programs.commands
      .filter((each) => each.includes("calico-node.exe"))
      .map((each) => each.replace(/^.*calico-node\.exe /, ""));

  const until = async (
    isSo: () => boolean,
    run: { readonly text: () => string },
  ): Promise<void> => {
    for (let turns = 0; !isSo(); turns++) {
      if (turns > 500) throw new Error([...problems, run.text()].join("\n"));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  it("uninstall-calico.ps1 finds nothing to remove on a new node", async () => {
    const run = start("uninstall-calico.ps1");
    await run.ended;
    assert.match(run.text(), /Done\./);
  });

  const calicoKey = "SOFTWARE\\Tigera\\Calico";
  const newBoot = ["-startup -complete-startup", "-monitor-token"];

  it("node-service.ps1 makes the network External, records the boot, and starts calico-node for each kubelet", async () => {
    const { hns, registry, services, state } = machine.windows;
    const run = start("CalicoWindows/node-service.ps1");
    await until(() => commands().length === 2, run);
    const [network, ...others] = state.hns.networks;
    assert.deepEqual([network?.Name, network?.Type, others], ["External", "Overlay", []]);
    assert.match(run.text(), /Management IP detected on vSwitch: 192\.168\.150\.11\.\n/);
    assert.ok(registry.find(calicoKey)?.get("LastBootTime"));
    assert.equal(machine.windows.state.firewallRules["OverlayTraffic4789UDP"]?.port, 4789);
    await services.stop("kubelet");
    await services.start("kubelet");
    await until(() => commands().length === 4, run);
    assert.deepEqual(commands(), [...newBoot, ...newBoot], "the refresher that ran is ended");
    assert.equal(machine.windows.startedProcesses.size, 1);
    assert.equal(hns.hasSwitch, true);
  });

  it("node-service.ps1 removes the networks of an earlier boot, and leaves those of this one", async () => {
    const { hns, state, registry } = machine.windows;
    const overlay = {
      Subnets: [
        {
          IpAddressPrefix: "10.9.0.0/24",
          Policies: [{ Type: "VSID", Settings: { IsolationId: 4097 } }],
        },
      ],
    };
    await hns.create("network", { Name: "left", Type: "Overlay", Ipams: [overlay] });
    await until(() => machine.windows.hasAddress, { text: () => "no address" });
    const run = start("CalicoWindows/node-service.ps1");
    await until(() => commands().length === 2, run);
    const names = () => state.hns.networks.map(({ Name }) => Name);
    assert.deepEqual(names(), ["External"]);
    socket?.destroy();
    await run.ended;
    assert.ok(registry.find(calicoKey));
    await hns.create("network", { Name: "other", Type: "Overlay", Ipams: [overlay] });
    const again = start("CalicoWindows/node-service.ps1");
    await until(() => commands().length === 4, again);
    assert.deepEqual(names(), ["External", "other"]);
  });

  it("felix-service.ps1 waits for that, then starts Felix, until its container ends", async () => {
    const { registry } = machine.windows;
    const run = start("CalicoWindows/felix-service.ps1");
    await until(
      () => run.text().includes("Waiting for Calico initialisation to finish...Stored"),
      run,
    );
    assert.deepEqual(commands(), []);
    const at = /CurrentLastBootTime (.*)/.exec(run.text())?.[1] ?? "";
    registry.make(calicoKey).set("LastBootTime", at.trim(), "String");
    await until(() => commands().length === 1, run);
    socket?.destroy();
    await run.ended;
    // Its loop has no wait in it.
    await start("uninstall-calico.ps1").ended;
    assert.deepEqual(commands(), ["-felix"]);
  });
});
