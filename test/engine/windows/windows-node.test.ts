import assert from "node:assert/strict";
import { appendFile, cp, mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { startRehearsalHost, type RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { EngineProject, type EngineRun } from "../plugins/support/engine.ts";
import { makeKey } from "../plugins/support/ssh-server.ts";

const repository = path.resolve(import.meta.dirname, "../../..");
const token = "abcdef.0123456789abcdef";
const caCertHash = `sha256:${"5".repeat(64)}`;

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

/** What a program may vary. */
interface Variation {
  readonly instance?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Whether there is a node on the machine. */
  readonly node?: boolean;
  /** Folder of kubelet.exe on this host, to be pushed to the machine; `missing` where it is not fetched. */
  readonly kubelet?: string;
}

/** The real engine, plugins and component, against the model of Windows with hollow programs. */
describe("WindowsNode in the engine", function () {
  this.timeout(120_000);
  const key = makeKey();
  let host: RehearsalHost;
  let project: EngineProject;

  before(async () => {
    host = await startRehearsalHost({ hostName: "win-1", authorizedKeys: [key.publicKey] });
    project = await EngineProject.create();
    for (const folder of ["components/windows", "components/host-action"]) {
      await cp(path.join(repository, folder), path.join(project.folder, folder), {
        recursive: true,
      });
    }
    // The cluster's own actions need one; here it counts that they run, and when.
    await mkdir(path.join(project.folder, "components/controlplane/actions"), { recursive: true });
    for (const action of ["await-node", "await-ready", "remove-node"]) {
      await project.write(
        `components/controlplane/actions/${action}.ts`,
        `import { appendFileSync } from "node:fs";
         appendFileSync("journal", "${action} " + process.env["NODE"] + "\\n");`,
      );
    }
    await project.write(
      "Pulumi.yaml",
      'name: test\nruntime: { name: nodejs, options: { typescript: false, nodeargs: "--import tsx" } }\n',
    );
    await project.write("key", key.privateKey);
  });

  after(async () => {
    await project.dispose();
    await host.stop();
  });

  const program = ({
    instance = "one",
    labels = { zone: "a" },
    node = true,
    kubelet,
  }: Variation): string => `
    import { readFileSync } from "node:fs";
    import * as pulumi from "@pulumi/pulumi";
    import { local } from "@pulumi/command";
    import { WindowsNode } from "./components/windows/windows-node.ts";
    import { imageSoftware } from "./components/windows/software.ts";

    const machine = {
      name: "win-1", os: "windows", address: "192.168.150.10",
      connection: pulumi.secret({
        host: "127.0.0.1", port: ${String(host.port)}, user: "Administrator",
        privateKey: readFileSync("key", "utf8"), hostKey: "${host.hostKey}",
        dialErrorLimit: -1, perDialTimeout: 5,
      }),
      resource: new local.Command("machine", { create: "true", triggers: ["${instance}"] }),
    };
    machine.instanceId = machine.resource.id;
    const controlPlane = {
      kubeconfig: pulumi.secret("secret of the cluster"),
      endpoint: pulumi.output("kindows-test-control-plane:6443"),
      caCertHash: pulumi.output("${caCertHash}"),
      hostsEntries: pulumi.output([{ address: "192.168.150.128", name: "kindows-test-control-plane" }]),
      resource: new local.Command("control-plane", { create: "true" }),
    };
    const software = imageSoftware(
      { kubernetes: "1.36.4", containerd: "2.4.2" },
      ${JSON.stringify({ windowsBuild: "", media: host.media })},
    );
    const folder = ${JSON.stringify(kubelet ?? null)};
    if (folder !== null) {
      software.kubelet = {
        ...software.kubelet,
        origin: { checksumUri: "https://example.com/", folder: folder === "missing" ? undefined : folder },
      };
    }
    const node = ${String(node)} && new WindowsNode("win-1", {
      machine, controlPlane, software,
      token: pulumi.secret("${token}"),
      labels: ${JSON.stringify(labels)},
      taints: [{ key: "os", value: "windows", effect: "NoSchedule" }],
    });
    export const facts = node && {
      name: node.nodeName, build: node.windowsBuild,
      kubernetes: node.kubernetesVersion, containerd: node.containerdVersion,
    };
  `;

  const up = async (variation: Variation = {}): Promise<EngineRun> => {
    await project.program(program(variation));
    const run = await project.up();
    assert.equal(run.exitCode, 0, run.text);
    return run;
  };

  /** Names of the node's resources that an operation was done to, in its order. */
  const touched = (run: EngineRun, operation: string): string[] =>
    Object.entries(run.steps)
      .filter(([name, operations]) => name.startsWith("win-1-") && operations.includes(operation))
      .map(([name]) => name);

  const journal = async (): Promise<string[]> =>
    (await readFile(path.join(project.folder, "journal"), "utf8")).trim().split("\n");

  const hosts = (): Promise<string> =>
    readFile(path.join(host.driveC, "Windows/System32/drivers/etc/hosts"), "utf8");

  it("makes a fresh Windows Server a node: reboot, software, hosts entry, join", async () => {
    const run = await up();
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
    const run = await up();
    assert.deepEqual(
      touched(run, "update"),
      all.filter((name) => !["win-1-home", "win-1-registration", "win-1-ready"].includes(name)),
    );
    assert.equal(host.boots, 2);
    assert.equal(host.nodes.length, 1);
  });

  it("runs only the join and the Node's own resource again for other labels", async () => {
    const run = await up({ labels: { zone: "b" } });
    assert.deepEqual(touched(run, "update"), ["win-1-join-node", "win-1-registration"]);
    // A Node that is there gets them from the cluster's side.
    assert.match((await journal()).at(-1) ?? "", /^await-node .*"labels":\{"zone":"b"\}/);
    const { commandLine = "" } = host.windows.services.get("kubelet") ?? {};
    assert.match(commandLine, / --node-labels=zone=b /);
  });

  it("does everything again on a new machine, after taking the old node away", async () => {
    const before = (await journal()).length;
    const run = await up({ labels: { zone: "b" }, instance: "two" });
    assert.deepEqual(touched(run, "create-replacement").toSorted(), all.toSorted());
    assert.deepEqual(
      (await journal()).slice(before).map((line) => line.split(" ")[0]),
      ["remove-node", "await-node", "await-ready"],
    );
  });

  it("takes the node away and resets the machine where that stays", async () => {
    await up({ instance: "two", node: false });
    assert.equal((await journal()).at(-1)?.split(" ")[0], "remove-node");
    assert.doesNotMatch(await hosts(), /kindows-test/);
    await assert.rejects(readFile(path.join(host.driveC, "etc/kubernetes/kubelet.conf")), {
      code: "ENOENT",
    });
  });

  it("leaves what goes with machine and cluster alone", async () => {
    await up({ instance: "two" });
    const before = (await journal()).length;
    const destroyed = await project.destroy();
    assert.equal(destroyed.exitCode, 0, destroyed.text);
    assert.equal((await journal()).length, before);
    assert.match(await hosts(), /kindows-test/);
  });

  describe("with a program that is pushed", () => {
    const media = (): string => path.join(host.driveC, "kindows/media", host.media.kubelet.sha256);
    const fetchedTo = (name: string): string =>
      path.join(project.folder, name, host.media.kubelet.sha256);

    before(async () => {
      await cp(media(), fetchedTo("cache-1"), { recursive: true });
      await cp(media(), fetchedTo("cache-2"), { recursive: true });
      await rm(media(), { recursive: true });
    });

    it("is previewed without the file", async () => {
      await project.program(program({ instance: "four", kubelet: "missing" }));
      const run = await project.preview();
      assert.equal(run.exitCode, 0, run.text);
      assert.ok(touched(run, "create").includes("win-1-push-kubelet"));
    });

    it("has it among its media before it is installed", async () => {
      const run = await up({ instance: "four", kubelet: fetchedTo("cache-1") });
      assert.ok(touched(run, "create").includes("win-1-push-kubelet"));
      assert.deepEqual(
        await readFile(path.join(media(), "kubelet.exe")),
        await readFile(path.join(fetchedTo("cache-1"), "kubelet.exe")),
      );
    });

    for (const [what, kubelet] of [
      ["the same file in another clone's cache", () => fetchedTo("cache-2")],
      ["a host that has not fetched it", () => "missing"],
    ] as const) {
      it(`has nothing to do for ${what}`, async () => {
        await project.program(program({ instance: "four", kubelet: kubelet() }));
        const run = await project.preview("--expect-no-changes");
        assert.equal(run.exitCode, 0, run.text);
      });
    }
  });

  it("says which step failed on which machine, why, and what to do", async () => {
    await project.program(program({ instance: "three" }).replace('name: "win-1"', 'name: "win-9"'));
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
