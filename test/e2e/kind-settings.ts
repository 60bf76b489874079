import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import { Cluster } from "./cluster.ts";
import { inContainer, type LabSettings, succeeded, type TestLab } from "./lab.ts";

const gate = "WindowsGracefulNodeShutdown";
const mark = "of this host";
const server = { address: "127.0.0.1", port: 16_443, certSANs: ["lab.kindows.test"] };

/** Parts of kind's own configuration, and the API from elsewhere, as docs/labs.md has them. */
export class KindSettings {
  private constructor(private readonly folder: string) {}

  static async make(): Promise<KindSettings> {
    const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-e2e-kind-"));
    await writeFile(path.join(folder, "mark"), mark);
    return new KindSettings(folder);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }

  get cluster(): LabSettings {
    return {
      apiServer: server,
      kindPatches: {
        featureGates: { [gate]: false },
        runtimeConfig: { "api/alpha": "true" },
        kubeadmConfigPatches: ["kind: KubeletConfiguration\nmaxPods: 50\n"],
        extraMounts: [{ hostPath: this.folder, containerPath: "/data", readOnly: true }],
        extraPortMappings: [{ containerPort: 30_080, hostPort: 18_080 }],
      },
    };
  }

  /** @throws unless a lab has them that is up: the kubelets of both systems, the API server, and kind's container. */
  async areIn(lab: TestLab): Promise<void> {
    for (const name of [lab.controlPlane, "win-1"]) {
      const proxied = `/api/v1/nodes/${name}/proxy/configz`;
      const { kubeletconfig } = JSON.parse(await lab.kubectl("get", "--raw", proxied)) as {
        kubeletconfig: { maxPods: number; featureGates?: Record<string, boolean> };
      };
      assert.equal(kubeletconfig.maxPods, 50, name);
      assert.equal(kubeletconfig.featureGates?.[gate], false, name);
    }
    assert.match(await lab.kubectl("api-versions"), /v[0-9]+alpha[0-9]+/);
    assert.equal(await inContainer(lab.controlPlane, "cat", "/data/mark"), mark);
    const { stdout } = await execa("docker", ["port", lab.controlPlane, "30080/tcp"]);
    assert.match(stdout, /:18080$/m);
  }

  /** @throws unless the kubeconfig for other computers reaches the lab by a name that its certificate has. */
  async areReachable(lab: TestLab): Promise<void> {
    const { output } = await succeeded(lab.kindows("kubeconfig", "--remote"));
    assert.match(output, /server: https:\/\/lab\.kindows\.test:16443/);
    // Nobody resolves the name here; the certificate is still checked for it.
    const reached = output
      .replace("https://lab.kindows.test:", "https://127.0.0.1:")
      .replace(/( +)server: .*/, "$&\n$1tls-server-name: lab.kindows.test");
    const file = path.join(this.folder, "remote.yaml");
    await writeFile(file, reached, { mode: 0o600 });
    assert.equal((await new Cluster(file).nodes()).length, 2);
  }
}
