import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import { Cluster } from "../e2e/cluster.ts";
import { inContainer, succeeded, TestLab } from "../e2e/lab.ts";

const server = { address: "127.0.0.1", port: 16_443, certSANs: ["lab.kindows.test"] };

/** docs/labs.md: parts of kind's configuration, the API from elsewhere, and a pod network that is left to the user. */
describe("a lab with settings of kind's own, and no pod network", () => {
  const lab = new TestLab("e2ekind");
  const { controlPlane } = lab;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "kindows-e2e-kind-"));
    await writeFile(path.join(folder, "mark"), "of this host");
    await lab.configure({
      network: { cidr: "192.168.178.0/24" },
      cni: { kind: "none" },
      cluster: {
        apiServer: server,
        kindPatches: {
          featureGates: { WindowsGracefulNodeShutdown: false },
          runtimeConfig: { "api/alpha": "true" },
          kubeadmConfigPatches: ["kind: KubeletConfiguration\nmaxPods: 50\n"],
          extraMounts: [{ hostPath: folder, containerPath: "/data", readOnly: true }],
          extraPortMappings: [{ containerPort: 30_080, hostPort: 18_080 }],
        },
      },
    });
    await lab.kindows("down");
  });
  after(async () => {
    await lab.remove();
    await rm(folder, { recursive: true, force: true });
  });

  it("comes up with its nodes joined, and says that they wait for the pod network", async () => {
    const { output } = await succeeded(lab.kindows("up"), "up");
    assert.match(output, /win-1 has joined, and waits for your pod network/);
    const nodes = await lab.nodes();
    assert.deepEqual(nodes.map(({ metadata }) => metadata.name).sort(), [controlPlane, "win-1"]);
    // A rehearsed node's runtime has no network to wait for.
    assert.ok(!(await lab.readyNodes()).includes(controlPlane));
    assert.match(output, /Nodes become Ready when you have installed a pod network/);
  });

  it("has the kubelets of both systems configured by the patches", async () => {
    for (const name of [controlPlane, "win-1"]) {
      const proxied = `/api/v1/nodes/${name}/proxy/configz`;
      const { kubeletconfig } = JSON.parse(await lab.kubectl("get", "--raw", proxied)) as {
        kubeletconfig: { maxPods: number; featureGates?: Record<string, boolean> };
      };
      assert.equal(kubeletconfig.maxPods, 50, name);
      assert.equal(kubeletconfig.featureGates?.["WindowsGracefulNodeShutdown"], false, name);
    }
  });

  it("serves APIs that are off by default", async () => {
    assert.match(await lab.kubectl("api-versions"), /v[0-9]+alpha[0-9]+/);
  });

  it("has the mount and the port of the control plane", async () => {
    assert.match(await inContainer(controlPlane, "cat", "/data/mark"), /of this host/);
    const { stdout } = await execa("docker", ["port", controlPlane, "30080/tcp"]);
    assert.match(stdout, /:18080$/m);
  });

  it("is reached by the kubeconfig for other computers, by a name that its certificate has", async () => {
    const file = path.join(folder, "remote.yaml");
    const { output } = await succeeded(lab.kindows("kubeconfig", "--remote"));
    assert.match(output, /server: https:\/\/lab\.kindows\.test:16443/);
    // Nobody resolves the name here; the certificate is still checked for it.
    const reached = output
      .replace("https://lab.kindows.test:", "https://127.0.0.1:")
      .replace(/( +)server: .*/, "$&\n$1tls-server-name: lab.kindows.test");
    await writeFile(file, reached, { mode: 0o600 });
    assert.equal((await new Cluster(file).nodes()).length, 2);
  });

  it("is among the labs of this host, has nothing to do, and goes", async () => {
    const { output } = await succeeded(lab.kindows("list"));
    assert.match(output, new RegExp(`\\b${lab.stack}\\b`));
    await lab.plansNothing();
    await succeeded(lab.kindows("down"), "down");
  });
});
