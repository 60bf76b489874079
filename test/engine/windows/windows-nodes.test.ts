import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { appendFile, cp, readFile, rm, stat, truncate } from "node:fs/promises";
import path from "node:path";
import { EventReader } from "../../../cli/engine/events.ts";
import { failedNodes, unusablePrograms } from "../../../cli/commands/up.ts";
import { parseDeployment } from "../../../cli/engine/deployment.ts";
import { removePushes } from "../../../cli/recovery/repair.ts";
import { writeFakeMedia } from "../../rehearsed-machine/fake-media.ts";
import { networkNames } from "../../unit/rehearsal/machine/machine-listing.ts";
import { withFakeApi } from "../../unit/controlplane/fake-api.ts";
import { kubeconfig } from "../../unit/controlplane/fixture-kubeconfig.ts";
import { type EngineRun, succeeded } from "../plugins/support/engine.ts";
import { NodesLab } from "./nodes-lab.ts";
import { token, type Variation, type Variations } from "./nodes-lab.ts";
import { planned, touched } from "./nodes-lab.ts";

const around = ["identity", "machine", "cluster", "token"];
const copies = ["home", "steps"];
const steps = [
  ...["test-windowshost", "enable-containersfeature", "confirm-reboot"],
  ...["install-containerd", "install-kubernetes", "set-hostsentry", "join-node"],
];
const node = ["registration", "ready"];
const newMachine = ["identity", "machine", "token", ...copies, ...steps, ...node];

/** One lab from nothing to nothing: each node is one of its kind, and is changed in its own way. */
describe("Windows nodes in the engine", () => {
  let lab: NodesLab;
  let fetched: readonly [string, string];
  let first: EngineRun;
  let said: Record<string, Variation>;

  const media = (name: string): string =>
    lab.file(name, path.join("kindows/media", lab.host(name).media.kubelet.sha256));
  const routes = (name: string): string[] =>
    lab.host(name).windows.state.routes.map((route) => `${route.destination}=${route.nextHop}`);
  const by = (hop: string): string[] => [`10.244.0.0/16=${hop}`, `10.96.0.0/16=${hop}`];
  const edit = (file: string): Promise<void> =>
    appendFile(path.join(lab.project.folder, "components/windows/steps", file), " ");
  const change = (changes: Variations): Variations => {
    said = { ...said };
    for (const [name, each] of Object.entries(changes)) said[name] = { ...said[name], ...each };
    return said;
  };

  before(async () => {
    lab = await NodesLab.start(["win-1", "win-2", "win-3", "win-4", "win-5"]);
    const { sha256 } = lab.host("win-4").media.kubelet;
    const cache = (clone: string): string => path.join(lab.project.folder, clone, sha256);
    fetched = [cache("a"), cache("b")];
    await Promise.all(fetched.map((folder) => cp(media("win-4"), folder, { recursive: true })));
    await Promise.all(["win-3", "win-4"].map((name) => rm(media(name), { recursive: true })));
    said = {
      "win-1": {},
      "win-2": { flannel: true },
      "win-3": { nextHop: "192.168.150.128", kubelet: fetched[0] },
      "win-4": { kubelet: fetched[0] },
      "win-5": { nextHop: "192.168.150.128" },
    };
    first = await lab.up(said);
  });
  after(() => lab.dispose());

  it("are made of fresh Windows Servers: reboot, software, hosts entry, join", async () => {
    const created = touched(first, "win-1", "create");
    const found = created.filter((name) => !around.includes(name));
    assert.deepEqual(found, [...copies, ...steps, ...node]);
    const { boots, cluster } = lab.host("win-1");
    assert.equal(boots, 2);
    assert.deepEqual(
      cluster.nodes.map(({ name, address, labels, taints }) => ({ name, address, labels, taints })),
      [
        {
          name: "win-1",
          address: "192.168.150.10",
          labels: { zone: "a" },
          taints: ["os=windows:NoSchedule"],
        },
      ],
    );
    assert.match(
      await lab.hostsFile("win-1"),
      /^192\.168\.150\.128 kindows-test-control-plane # kindows\r?$/m,
    );
    assert.match(
      (await lab.journal("win-1")).join("\n"),
      /^await-node \{"name":"win-1","timeoutSeconds":900,.*\}\nawait-ready .*$/,
    );
    const facts = (await lab.project.outputs())["facts"] as Record<string, unknown>;
    assert.deepEqual(facts["win-1"], {
      name: "win-1",
      build: "10.0.20348.4405",
      kubernetes: "1.36.4",
      containerd: "2.4.2",
    });
    assert.ok(!first.text.includes(token) && !first.text.includes("PRIVATE KEY"));
  });

  it("with Flannel have its network made, with the connection cut in between", async () => {
    const { state, services, drive } = lab.host("win-2").windows;
    assert.deepEqual(networkNames({ state }), ["flannel.4096"]);
    assert.equal(await services.isRunning("flanneld"), true);
    const conf = await drive.readText("C:\\etc\\cni\\net.d\\10-flannel.conflist");
    assert.match(conf ?? "", /"type": "win-overlay"/);
  });

  it("without a pod network get routes to the cluster's ranges", () =>
    assert.deepEqual(routes("win-3"), by("192.168.150.128")));

  it("have a program that is pushed among their media before it is installed", async () => {
    assert.ok(touched(first, "win-4", "create").includes("push-kubelet"));
    assert.deepEqual(
      await readFile(path.join(media("win-4"), "kubelet.exe")),
      await readFile(path.join(fetched[0], "kubelet.exe")),
    );
  });

  describe("of which each is changed in its own way", () => {
    let done: EngineRun;
    let journalBefore: number;
    let containerd: NonNullable<Variation["containerd"]>;
    const asked: string[] = [];
    /** What was installed when the cluster heard that win-1 is drained. */
    const installed: string[] = [];
    // Where the machine notes which archive of containerd is unpacked.
    const unpacked = (): string =>
      readFileSync(lab.file("win-1", "Program Files/containerd/unpacked.sha256"), "utf8");

    before(async () => {
      journalBefore = (await lab.journal("win-4")).length;
      const versions = { containerd: "2.3.4", kubernetes: "1.36.4" };
      const { drive } = lab.host("win-1").windows;
      containerd = { version: "2.3.4", media: await writeFakeMedia(drive, versions) };
      await withFakeApi(
        (request) => {
          if (request.startsWith("PUT")) installed.push(unpacked());
          const drained = { metadata: { name: "win-1" }, spec: {} };
          return [200, request === "GET /api/v1/pods" ? { items: [] } : drained];
        },
        async (_api, requests, server) => {
          done = await lab.up(
            change({
              // The next join is for what has another life.
              "win-1": { containerd, kubeconfig: kubeconfig(server), tokenMinutes: 30 },
              "win-2": { labels: { zone: "b" }, domain: "two" },
              "win-3": { nextHop: "192.168.150.129", kubelet: fetched[1] },
              "win-4": { instance: "two" },
              "win-5": {
                instance: "two",
                cluster: "two",
                kubeconfig: "secret of another cluster",
                tokenMinutes: 20,
              },
            }),
          );
          asked.push(...requests);
        },
      );
    });

    const expected: Readonly<Record<string, readonly [string, ReturnType<typeof planned>]>> = {
      "win-1": [
        "another containerd, and a shorter life of join tokens",
        { updates: ["install-containerd", "ready", "registration"] },
      ],
      // The disk stays, and with it all that was done on it.
      "win-2": [
        "a label, and more memory",
        { updates: ["join-node", "registration"], replaces: ["machine"] },
      ],
      "win-3": [
        "another control plane, and a program that another clone has fetched",
        { updates: ["set-clusterroute"] },
      ],
      "win-4": ["a new machine", { replaces: [...newMachine, "push-kubelet"].sort() }],
      "win-5": [
        "a new machine in a new cluster",
        { replaces: [...newMachine, "cluster", "set-clusterroute"].sort() },
      ],
    };
    for (const [name, [what, plan]] of Object.entries(expected)) {
      it(`plan and do nothing else for ${what}`, () => assert.deepEqual(planned(done, name), plan));
    }

    it("are drained before another containerd is installed, and then opened again", async () => {
      assert.deepEqual(asked, [
        ...["GET /api/v1/nodes/win-1", "PUT /api/v1/nodes/win-1", "GET /api/v1/pods"],
      ]);
      assert.match(done.text, /win-1 takes no new pods; those on it are evicted/);
      assert.deepEqual(installed, [lab.host("win-1").media.containerd.sha256]);
      assert.equal(unpacked(), containerd.media.containerd.sha256);
      assert.match(
        (await lab.journal("win-1")).join("\n"),
        /\nawait-node [^\n]*"versions":\{[^}]*"containerd":"2\.3\.4"[^}]*\}[^\n]*\nawait-ready [^\n]*$/,
      );
    });

    it("get other labels from the cluster's side, and from their kubelet", async () => {
      assert.match(
        (await lab.journal("win-2")).at(-1) ?? "",
        /^await-node .*"labels":\{"zone":"b"\}/,
      );
      const { commandLine = "" } = lab.host("win-2").windows.services.get("kubelet") ?? {};
      assert.match(commandLine, / --node-labels=zone=b /);
    });

    it("follow a control plane to another address", () =>
      assert.deepEqual(routes("win-3"), by("192.168.150.129")));

    it("are taken away before a new machine gets their name", async () => {
      const actions = (await lab.journal("win-4")).slice(journalBefore);
      const found = actions.map((line) => line.split(" ")[0]);
      assert.deepEqual(found, ["remove-node", "await-node", "await-ready"]);
    });

    it("join a new cluster with a token of that, with the life asked for", async () => {
      const minted = (await readFile(path.join(lab.project.folder, "minted"), "utf8"))
        .split("\n")
        .filter((line) => line.includes("join of win-5"));
      assert.equal(minted.length, 2);
      assert.match(minted[0] ?? "", /"ttlMinutes":60.* in secret of the cluster$/);
      assert.match(minted[1] ?? "", /"ttlMinutes":20.* in secret of another cluster$/);
    });
  });

  describe("of which some are taken away, when a script was edited", () => {
    let run: EngineRun;
    let boots: number;

    before(async () => {
      ({ boots } = lab.host("win-4"));
      await edit("lib/Step.ps1");
      const away = { node: false };
      run = await lab.up(
        change({ "win-1": away, "win-2": away, "win-3": away, "win-5": { nextHop: undefined } }),
      );
    });

    it("run all steps again, in place, and stay", () => {
      const updates = [...copies, ...steps].sort();
      assert.deepEqual(planned(run, "win-4"), { updates });
      assert.equal(lab.host("win-4").boots, boots);
      assert.deepEqual(planned(run, "win-5"), { updates, deletes: ["set-clusterroute"] });
    });

    it("lose routes that are not asked for any more, and with their node", () => {
      assert.deepEqual(routes("win-5"), []);
      assert.deepEqual(routes("win-3"), []);
    });

    it("leave the cluster, and a machine that is reset", async () => {
      assert.equal((await lab.journal("win-1")).at(-1)?.split(" ")[0], "remove-node");
      assert.doesNotMatch(await lab.hostsFile("win-1"), /kindows-test/);
      await assert.rejects(stat(lab.file("win-1", "etc/kubernetes/kubelet.conf")), {
        code: "ENOENT",
      });
      const { state, services } = lab.host("win-2").windows;
      assert.deepEqual(networkNames({ state }), []);
      assert.equal(services.get("flanneld"), undefined);
    });
  });

  describe("of which one lacks a program, and one is called otherwise", () => {
    let failing: EngineRun;

    before(async () => {
      // It is needed again: the program is gone, and the step runs since its script is another.
      await rm(lab.file("win-4", "k/kubelet.exe"));
      await truncate(path.join(media("win-4"), "kubelet.exe"), 10);
      await edit("Install-Kubernetes.ps1");
      await edit("Reset-Node.ps1");
      change({ "win-1": { node: true, computerName: "win-9" } });
      failing = await lab.tryUp(said, "--continue-on-error");
      change({ "win-1": { node: false } });
    });

    it("say which step failed on which machine, why, and what to do", () => {
      assert.notEqual(failing.exitCode, 0);
      assert.match(failing.text, /win-4-install-kubernetes/);
      assert.match(
        failing.text,
        /Install-Kubernetes on win-4 failed \(ChecksumMismatch\): .*kubelet\.exe .*expected was/i,
      );
      assert.match(failing.text, /Run `\.\/kindows up`: it has what was pushed to the machine/);
      assert.match(failing.text, /win-1-test-windowshost/);
      assert.match(
        failing.text,
        /Test-WindowsHost on win-1 failed \(HostUnsuitable\): .*expected was win-9/i,
      );
      assert.match(failing.text, /Change the machine or its image, or the limits in the settings/);
    });

    it("have it pushed again by the up after that, and run the edited steps", async () => {
      const reader = new EventReader();
      const events = failing.events.flatMap((event) => reader.read(event) ?? []);
      const lacking = failedNodes(events, unusablePrograms);
      assert.deepEqual(lacking, ["win-4"]);
      const exported = parseDeployment((await lab.project.run(["stack", "export"])).text);
      const { deployment } = removePushes(exported, lacking);
      await lab.project.write("state.json", JSON.stringify(deployment));
      const imported = await lab.project.run(["stack", "import", "--file", "state.json"]);
      assert.equal(imported.exitCode, 0, imported.text);

      const run = await lab.up(said);
      assert.deepEqual(touched(run, "win-4", "create"), ["push-kubelet"]);
      assert.deepEqual(
        await readFile(path.join(media("win-4"), "kubelet.exe")),
        await readFile(path.join(fetched[0], "kubelet.exe")),
      );
      await stat(lab.file("win-4", "k/kubelet.exe"));
      for (const name of ["win-4", "win-5"]) {
        const updated = [failing, run].flatMap((each) => touched(each, name, "update"));
        assert.deepEqual(
          [...new Set(updated)].sort(),
          [...copies, "install-kubernetes", "test-windowshost"].sort(),
        );
      }
    });
  });

  describe("that all go", () => {
    it("leave alone what goes with machine and cluster", async () => {
      const before = (await lab.journal("win-4")).length;
      succeeded(await lab.project.destroy());
      assert.equal((await lab.journal("win-4")).length, before);
      assert.match(await lab.hostsFile("win-4"), /kindows-test/);
    });
  });
});
