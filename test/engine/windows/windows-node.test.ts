import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import path from "node:path";
import { writeHollowMedia } from "../../../rehearsal/host/hollow/hollow-media.ts";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { withFakeApi } from "../../unit/controlplane/fake-api.ts";
import { kubeconfig } from "../../unit/controlplane/fixture-kubeconfig.ts";
import type { EngineProject } from "../plugins/support/engine.ts";
import { NodeLab, touched } from "./node-lab.ts";
import { token } from "./node-program.ts";

const prepared = [
  "win-1-home",
  "win-1-steps",
  "win-1-test-windowshost",
  "win-1-enable-containersfeature",
  "win-1-confirm-reboot",
  "win-1-install-containerd",
  "win-1-install-kubernetes",
];
const all = [
  ...prepared,
  "win-1-set-hostsentry",
  "win-1-join-node",
  "win-1-registration",
  "win-1-ready",
];

describe("WindowsNode in the engine", function () {
  this.timeout(120_000);
  let lab: NodeLab;
  let host: RehearsalHost;
  let project: EngineProject;

  before(async () => {
    lab = await NodeLab.start();
    ({ host, project } = lab);
  });
  after(() => lab.dispose());

  const journal = async (): Promise<string[]> =>
    (await readFile(path.join(project.folder, "journal"), "utf8")).trim().split("\n");

  /** Where the machine notes which archive of containerd is unpacked. */
  const mark = (): string => path.join(host.driveC, "Program Files/containerd/unpacked.sha256");

  const hosts = (): Promise<string> =>
    readFile(path.join(host.driveC, "Windows/System32/drivers/etc/hosts"), "utf8");

  it("makes a fresh Windows Server a node: reboot, software, hosts entry, join", async () => {
    const run = await lab.up();
    assert.deepEqual(touched(run, "create"), all);
    assert.equal(host.boots, 2);
    assert.deepEqual(
      host.nodes.map(({ name, address, labels, taints }) => ({ name, address, labels, taints })),
      [
        {
          name: "win-1",
          address: "192.168.150.10",
          labels: { zone: "a" },
          taints: ["os=windows:NoSchedule"],
        },
      ],
    );
    assert.match(await hosts(), /^192\.168\.150\.128 kindows-test-control-plane # kindows\r?$/m);
    assert.match(
      (await journal()).join("\n"),
      /^await-node \{"name":"win-1","timeoutSeconds":900,.*\}\nawait-ready .*$/,
    );
    assert.deepEqual((await project.outputs())["facts"], {
      name: "win-1",
      build: "10.0.20348.4405",
      kubernetes: "1.36.4",
      containerd: "2.4.2",
    });
    assert.ok(!run.text.includes(token) && !run.text.includes("PRIVATE KEY"));
  });

  it("has nothing to do afterwards", async () => {
    const preview = await project.preview("--expect-no-changes");
    assert.equal(preview.exitCode, 0, preview.text);
  });

  it("runs all steps again, in place, when a script was edited; the node stays", async () => {
    await appendFile(
      path.join(project.folder, "components/windows/steps/lib/Step.ps1"),
      "# edited\n",
    );
    const run = await lab.up();
    assert.deepEqual(
      touched(run, "update"),
      all.filter((name) => !["win-1-registration", "win-1-ready"].includes(name)),
    );
    assert.equal(host.boots, 2);
    assert.equal(host.nodes.length, 1);
  });

  it("runs only the join and the Node's own resource again for other labels", async () => {
    const run = await lab.up({ labels: { zone: "b" } });
    assert.deepEqual(touched(run, "update"), ["win-1-join-node", "win-1-registration"]);
    // A Node that is there gets them from the cluster's side.
    assert.match((await journal()).at(-1) ?? "", /^await-node .*"labels":\{"zone":"b"\}/);
    const { commandLine = "" } = host.windows.services.get("kubelet") ?? {};
    assert.match(commandLine, / --node-labels=zone=b /);
  });

  it("drains the node before another containerd is installed, and then has it opened again", async () => {
    const media = await writeHollowMedia(host.windows.drive, {
      containerd: "2.3.4",
      kubernetes: "1.36.4",
    });
    const node = { metadata: { name: "win-1" }, spec: {} };
    // What was installed when the cluster was told.
    const installed: string[] = [];
    await withFakeApi(
      (request) => {
        if (request.startsWith("PUT")) {
          installed.push(readFileSync(mark(), "utf8"));
        }
        return [200, request === "GET /api/v1/pods" ? { items: [] } : node];
      },
      async (_api, requests, server) => {
        const run = await lab.up({
          labels: { zone: "b" },
          containerd: { version: "2.3.4", media },
          kubeconfig: kubeconfig(server),
        });
        assert.deepEqual(touched(run, "update"), [
          "win-1-install-containerd",
          "win-1-registration",
          "win-1-ready",
        ]);
        assert.deepEqual(requests, [
          "GET /api/v1/nodes/win-1",
          "PUT /api/v1/nodes/win-1",
          "GET /api/v1/pods",
        ]);
        assert.match(run.text, /win-1 takes no new pods; those on it are moved away/);
      },
    );
    assert.deepEqual(installed, [host.media.containerd.sha256]);
    assert.equal(readFileSync(mark(), "utf8"), media.containerd.sha256);
    assert.match(
      (await journal()).join("\n"),
      /\nawait-node [^\n]*"versions":\{[^}]*"containerd":"2\.3\.4"[^}]*\}[^\n]*\nawait-ready [^\n]*$/,
    );
  });

  it("does everything again on a new machine, after taking the old node away", async () => {
    const before = (await journal()).length;
    const run = await lab.up({ labels: { zone: "b" }, instance: "two" });
    assert.deepEqual(touched(run, "create-replacement").toSorted(), all.toSorted());
    assert.deepEqual(
      (await journal()).slice(before).map((line) => line.split(" ")[0]),
      ["remove-node", "await-node", "await-ready"],
    );
  });

  it("takes the node away and resets the machine where that stays", async () => {
    await lab.up({ instance: "two", node: false });
    assert.equal((await journal()).at(-1)?.split(" ")[0], "remove-node");
    assert.doesNotMatch(await hosts(), /kindows-test/);
    await assert.rejects(readFile(path.join(host.driveC, "etc/kubernetes/kubelet.conf")), {
      code: "ENOENT",
    });
  });

  it("leaves what goes with machine and cluster alone", async () => {
    await lab.up({ instance: "two" });
    const before = (await journal()).length;
    const destroyed = await project.destroy();
    assert.equal(destroyed.exitCode, 0, destroyed.text);
    assert.equal((await journal()).length, before);
    assert.match(await hosts(), /kindows-test/);
  });

  it("says which step failed on which machine, why, and what to do", async () => {
    await project.program(
      lab.program({ instance: "three" }).replace('name: "win-1"', 'name: "win-9"'),
    );
    const run = await project.up();
    assert.notEqual(run.exitCode, 0);
    assert.match(run.text, /win-1-test-windowshost/);
    assert.match(
      run.text,
      /Test-WindowsHost on WIN-1 failed \(HostUnsuitable\): .*expected was win-9/i,
    );
    assert.match(run.text, /Change the machine or its image, or the limits in the settings/);
  });
});
