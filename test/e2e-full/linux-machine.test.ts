import assert from "node:assert/strict";
import { agnhostImage } from "../../images/node/container-images.ts";
import { succeeded, TestLab } from "../e2e/lab.ts";
import { pullsFromRegistry } from "../e2e/registry.ts";

/** A node's pod that answers with its own name over HTTP. */
function podOn(node: string): { readonly name: string; readonly manifest: string } {
  const name = `on-${node}`;
  const manifest = JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      nodeName: node,
      tolerations: [{ operator: "Exists" }],
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: "main",
          image: agnhostImage,
          imagePullPolicy: "IfNotPresent",
          args: ["netexec", "--http-port=8080"],
        },
      ],
    },
  });
  return { name, manifest };
}

describe("a Linux machine among the nodes", () => {
  const lab = new TestLab("e2elinux");
  const { controlPlane } = lab;
  const settings = {
    network: { cidr: "192.168.187.0/24" },
    linux: { cpus: 2, memoryMiB: 2048, diskGiB: 10 },
    registry: true,
    // Its own address: without, it would move to that of the machine that goes.
    nodes: [
      { name: "linux-1", os: "linux", labels: { disk: "fast" } },
      { name: "win-1", address: "192.168.187.11" },
    ],
  };
  const pods = [podOn("linux-1"), podOn(controlPlane)] as const;

  const onLinux = async (command: string): Promise<string> =>
    (await succeeded(lab.kindows("ssh", "linux-1", "--", command))).output;
  async function from(pod: string, address: string): Promise<string> {
    const curl = ["curl", "--silent", "--show-error", "--insecure", "--max-time", "30"];
    return lab.kubectl("exec", pod, "--", ...curl, address);
  }

  after(() => lab.remove());

  it("is Ready beside a control plane in a container and a Windows node", async () => {
    await lab.configure(settings);
    await succeeded(lab.kindows("up"), "up");
    assert.deepEqual(await lab.readyNodes(), [controlPlane, "linux-1", "win-1"]);
    const node = await lab.node("linux-1");
    const { addresses, nodeInfo } = node?.status as {
      addresses: { type: string; address: string }[];
      nodeInfo: { operatingSystem: string; kernelVersion: string };
    };
    assert.equal(node?.metadata.labels?.["disk"], "fast");
    assert.ok(addresses.some((one) => one.address === "192.168.187.10"));
    assert.equal(nodeInfo.operatingSystem, "linux");
    // A kernel of its own, not this host's.
    assert.match(nodeInfo.kernelVersion, /-cloud-amd64$/);
  });

  it("runs pods that reach pods on the control plane's node, and are reached from there", async () => {
    for (const { manifest } of pods) await lab.kubectlApply(manifest);
    const names = pods.map(({ name }) => `pod/${name}`);
    await lab.untilCondition("Ready", ...names);
    const address = async (name: string): Promise<string> =>
      lab.kubectl("get", "pod", name, "-o", "jsonpath={.status.podIP}");
    const [own, other] = pods;
    assert.equal(
      await from(own.name, `http://${await address(other.name)}:8080/hostname`),
      other.name,
    );
    assert.equal(
      await from(other.name, `http://${await address(own.name)}:8080/hostname`),
      own.name,
    );
  });

  it("runs pods that reach Services by name, and has their logs", async () => {
    const [own] = pods;
    const version = await from(own.name, "https://kubernetes.default.svc.cluster.local/version");
    assert.match(version, /"gitVersion": "v1\.36\.4"/);
    assert.match(await lab.kubectl("logs", own.name), /Started HTTP server on port 8080/);
  });

  it("runs pods from the lab's registry", () => pullsFromRegistry(lab, "linux-1"));

  it("is as its steps left it: run again they change nothing, and nothing is planned", async () => {
    const steps = "/var/lib/kindows-steps-*";
    assert.match(await onLinux(`sh ${steps}/prepare-host.sh linux-1 60`), /"changed":false/);
    const installed = `install-programs.sh /nowhere $(cat /var/lib/kindows/installed)`;
    assert.match(await onLinux(`sh ${steps}/${installed}`), /"changed":false/);
    await lab.plansNothing();
  });

  it("holds no join token, nor does the cluster", async () => {
    const left = await onLinux(
      "ls /run/kindows-join.yaml /etc/kubernetes/bootstrap-kubelet.conf 2>&1 || true",
    );
    assert.equal(left.match(/No such file/g)?.length, 2, left);
    const secrets = await lab.kubectl("-n", "kube-system", "get", "secrets", "-o", "name");
    // kind's own, of `kubeadm init`, is removed as it is made.
    assert.doesNotMatch(secrets, /bootstrap-token/);
  });

  it("can be reset where it stands, and joins again with a new token", async () => {
    assert.match(await onLinux("sh /var/lib/kindows-steps-*/reset-node.sh"), /"changed":true/);
    assert.match(await onLinux("sh /var/lib/kindows-steps-*/reset-node.sh"), /"changed":false/);
    await lab.kubectl("delete", "node", "linux-1");
    const [linux, windows] = settings.nodes;
    const nodes = [{ ...linux, kubeletArgs: { "max-pods": "50" } }, windows];
    await lab.configure({ ...settings, nodes });
    const token = "**::linux-1-token";
    await succeeded(
      lab.withEnvironment(`pulumi up --yes --skip-preview --non-interactive --replace '${token}'`),
    );
    // Nothing of the run waits for it: the Node that was Ready once is another one now.
    await lab.untilReady([controlPlane, "linux-1", "win-1"]);
    const joined = await lab.node("linux-1");
    assert.equal((joined?.status?.["capacity"] as Record<string, string>)["pods"], "50");
  });

  it("goes with its line in the settings: the node and the machine", async () => {
    await lab.configure({ ...settings, nodes: settings.nodes.slice(1) });
    await succeeded(lab.kindows("up"), "up");
    assert.deepEqual(await lab.readyNodes(), [controlPlane, "win-1"]);
  });
});
