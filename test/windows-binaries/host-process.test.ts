import assert from "node:assert/strict";
import { copyFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { hostProcessCommand } from "../../verify/objects/workloads.ts";
import { clusterAddress, clusterName, nodeAddress } from "./addresses.ts";
import { TestCluster, type Printed } from "./test-cluster.ts";
import { WineMachine } from "./wine-machine.ts";

const port = 28081;
const image = "registry.k8s.io/e2e-test-images/agnhost:2.63.0";

/** Seconds for something that kubelet does on a busy host. */
const waitSeconds = 120;

interface PodStatus {
  readonly phase: string;
  readonly podIP?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly containerStatuses?: readonly {
    readonly restartCount: number;
    readonly lastState?: { readonly terminated?: { readonly exitCode: number } };
    readonly state?: {
      readonly terminated?: { readonly exitCode: number; readonly reason: string };
    };
  }[];
}

/** What rehearsal/cri does with HostProcess pods, as kubectl, the API server and kubelet.exe see it. */
describe("a HostProcess pod under kubelet.exe", () => {
  let cluster: TestCluster;
  let machine: WineMachine;

  before(async () => {
    cluster = await TestCluster.start();
    machine = await WineMachine.start();
    await machine.installContainerd();
    await machine.installKubernetes();
    await machine.stepDone("Set-HostsEntry", ["-Entry", `${clusterAddress}=${clusterName}`]);
    await machine.stepDone(
      "Join-Node",
      [
        ...["-NodeName", "win-1", "-ApiServerEndpoint", cluster.endpoint],
        ...["-NodeIp", nodeAddress, "-TimeoutSeconds", "120"],
      ],
      JSON.stringify({ token: await cluster.token(), caCertHashes: [cluster.caCertHash] }),
    );
    // kubeadm gives the API server's own certificate for kubelets this right when it is done, which no phase of it does.
    await cluster.kubectl(
      ...["create", "clusterrolebinding", "tested-administrators"],
      ...["--clusterrole=cluster-admin", "--group=kubeadm:cluster-admins"],
    );
  });
  after(async () => {
    await machine.stop();
    await cluster.stop();
  });

  async function start(name: string, container: object, spec: object = {}): Promise<void> {
    await cluster.apply({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default" },
      spec: {
        nodeName: "win-1",
        os: { name: "windows" },
        hostNetwork: true,
        automountServiceAccountToken: false,
        securityContext: {
          windowsOptions: { hostProcess: true, runAsUserName: "NT AUTHORITY\\SYSTEM" },
        },
        containers: [{ name: "agnhost", image, imagePullPolicy: "IfNotPresent", ...container }],
        ...spec,
      },
    });
  }

  async function statusOf(name: string): Promise<PodStatus> {
    const { stdout, stderr } = await cluster.kubectl("get", "pod", name, "-o", "json");
    assert.notEqual(stdout, "", stderr);
    return (JSON.parse(stdout) as { status: PodStatus }).status;
  }

  /** Waits until a pod's state is as wanted. */
  async function awaitStatus(
    name: string,
    what: string,
    wanted: (status: PodStatus) => boolean,
  ): Promise<PodStatus> {
    for (const end = Date.now() + waitSeconds * 1000; ; await sleep(500)) {
      const status = await statusOf(name);
      if (wanted(status)) return status;
      assert.ok(Date.now() < end, `${name} ${what}; last seen: ${JSON.stringify(status)}`);
    }
  }

  const isReady = ({ conditions = [] }: PodStatus): boolean =>
    conditions.some(({ type, status }) => type === "Ready" && status === "True");

  const exec = (...words: readonly string[]): Promise<Printed> =>
    cluster.kubectl("exec", "server", "--", ...words);

  it("becomes Ready by its probes: a request to the node's address, and a command", async () => {
    await cluster.apply({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings", namespace: "default" },
      data: { greeting: "from a config map" },
    });
    const container = {
      command: hostProcessCommand(["netexec", `--http-port=${port}`, "--udp-port=-1"], port),
      lifecycle: {
        preStop: { exec: { command: ["netsh", "advfirewall", "show", "currentprofile"] } },
      },
      env: [{ name: "SETTING", value: "from the pod" }],
      readinessProbe: { httpGet: { path: "/hostname", port }, periodSeconds: 1 },
      livenessProbe: {
        exec: { command: ["curl", "--fail", "--silent", `http://127.0.0.1:${port}/hostname`] },
        initialDelaySeconds: 10,
        timeoutSeconds: 10,
      },
      volumeMounts: [{ name: "settings", mountPath: "/settings", readOnly: true }],
    };
    const volumes = [{ name: "settings", configMap: { name: "settings" } }];
    await start("server", container, { volumes });
    const { podIP } = await awaitStatus("server", "is not Ready", isReady);
    assert.equal(podIP, nodeAddress);
  });

  it("serves whoever comes to the node's address, with the machine's name", async () => {
    const answer = await fetch(`http://${nodeAddress}:${port}/hostname`);
    assert.match(await answer.text(), /^\S+$/);
    assert.equal(answer.status, 200);
  });

  it("has a log", async () => {
    const { stdout, stderr } = await cluster.kubectl("logs", "server");
    assert.match(stdout, new RegExp(`Started HTTP server on port ${port}`), stderr);
  });

  it("runs commands, whose output, errors and exit code come back", async () => {
    const answer = await exec("curl", "--silent", `http://${nodeAddress}:${port}/echo?msg=hello`);
    assert.deepEqual([answer.exitCode, answer.stdout], [0, "hello"], answer.stderr);
    const refused = await exec("curl", "--silent", "--show-error", `http://${nodeAddress}:1/`);
    assert.equal(refused.exitCode, 7, refused.stderr);
    assert.match(refused.stderr, /curl: \(7\) connect to \S+ failed: Connection refused/);
  });

  it("has the pod's environment and its own folder, in commands as well", async () => {
    const setting = await exec("cmd", "/c", "echo %SETTING%");
    assert.deepEqual([setting.exitCode, setting.stdout.trim()], [0, "from the pod"]);
    const folder = await exec("cmd", "/c", "echo %CONTAINER_SANDBOX_MOUNT_POINT%");
    assert.match(folder.stdout.trim(), /^C:\\C\\[0-9a-f]{64}$/);
    const program = await exec(`${folder.stdout.trim()}\\agnhost.exe`, "--version");
    // What cobra makes of it: agnhost calls its own command "app".
    assert.match(program.stdout, /^app version /, program.stderr);
  });

  it("has its volumes in that folder", async () => {
    const path = "%CONTAINER_SANDBOX_MOUNT_POINT%\\settings\\greeting";
    const { stdout, stderr } = await exec("cmd", "/c", `type ${path}`);
    assert.equal(stdout.trim(), "from a config map", stderr);
  });

  it("is restarted when it ends, with the exit code told", async () => {
    await fetch(`http://${nodeAddress}:${port}/exit?code=5`).catch(() => undefined);
    const { containerStatuses } = await awaitStatus(
      "server",
      "is not restarted",
      (status) => isReady(status) && status.containerStatuses?.[0]?.restartCount === 1,
    );
    assert.equal(containerStatuses?.[0]?.lastState?.terminated?.exitCode, 5);
  });

  for (const [name, container, program] of [
    ["none", { command: ["no-such-program"] }, "no-such-program"],
    ["bare", { args: ["pause"] }, "/agnhost"],
  ] as const) {
    it(`ends as cmd.exe does with what is no program to it: ${program}`, async () => {
      await start(name, container, { restartPolicy: "Never" });
      const failed = ({ phase }: PodStatus): boolean => phase === "Failed";
      const { containerStatuses } = await awaitStatus(name, "does not end", failed);
      assert.equal(containerStatuses?.[0]?.state?.terminated?.exitCode, 1);
      const { stdout } = await cluster.kubectl("logs", name);
      assert.match(stdout, new RegExp(`'${program}' is not recognized as an internal`));
    });
  }

  it("is told to end, and does so within its time of grace", async () => {
    // Only the container's own process is told: that must not be cmd.exe.
    const programs = join(machine.wine.driveC, "rehearsal/images/agnhost");
    await copyFile(join(programs, "agnhost"), join(programs, "agnhost.exe"));
    await start("pause", { args: ["pause"] }, { restartPolicy: "Never" });
    await awaitStatus("pause", "is not Ready", isReady);
    const logs = cluster.kubectl("logs", "--follow", "pause");
    await sleep(3000);
    const started = Date.now();
    const { exitCode, stderr } = await cluster.kubectl(
      ...["delete", "pod", "pause", "--grace-period=100", "--timeout=55s"],
    );
    assert.equal(exitCode, 0, stderr);
    assert.ok(Date.now() - started < 55_000);
    assert.match((await logs).stdout, /exiting because of signal "terminated"/);
  });

  it("leaves nothing running when it is deleted", async () => {
    const { exitCode, stderr } = await cluster.kubectl("delete", "pod", "server", "--timeout=55s");
    assert.equal(exitCode, 0, stderr);
    await assert.rejects(fetch(`http://${nodeAddress}:${port}/hostname`));
  });

  it("leaves no files when it is deleted, its own and kubelet's of its volumes", async () => {
    await cluster.kubectl("delete", "pods", "--all", "--timeout=55s");
    const folders = [
      join(machine.wine.driveC, "C"),
      join(machine.wine.driveC, "var/lib/kubelet/pods"),
    ];
    // kubelet's housekeeping does both when it comes to it.
    for (const end = Date.now() + waitSeconds * 1000; ; await sleep(500)) {
      const left = (await Promise.all(folders.map((folder) => readdir(folder)))).flat();
      if (left.length === 0) return;
      assert.ok(Date.now() < end, `left: ${left.join(", ")}`);
    }
  });
});
