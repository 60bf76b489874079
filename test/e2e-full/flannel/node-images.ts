import path from "node:path";
import { execa } from "execa";
import { agnhostImage } from "../../../components/controlplane/node-image/container-images.ts";
import { clusterLabel } from "../../../config/names.ts";
import { ensureArtifacts } from "../../../toolchain/ensure.ts";
import type { TestLab } from "../../e2e/lab.ts";
import { flannelArchive, flannelImageArchive } from "./images.ts";

const importing = ["ctr", "--namespace", "k8s.io", "images", "import", "-"];

/** A pod with the machine's own network, so that it runs before Flannel does. */
const importer = (node: string): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `images-of-${node}` },
  spec: {
    nodeName: node,
    hostNetwork: true,
    tolerations: [{ operator: "Exists" }],
    containers: [
      {
        name: "main",
        image: agnhostImage,
        command: ["sleep", "infinity"],
        securityContext: { privileged: true },
        volumeMounts: [{ name: "root", mountPath: "/host" }],
      },
    ],
    volumes: [{ name: "root", hostPath: { path: "/" } }],
  },
});

export class FlannelImages {
  private readonly given = new Set<string>();
  private readonly stop = new AbortController();
  private running: Promise<void> | undefined;

  private constructor(
    private readonly lab: TestLab,
    private readonly archive: string,
  ) {}

  static async giveTo(lab: TestLab): Promise<FlannelImages> {
    const made = await ensureArtifacts([flannelImageArchive]);
    const archive = path.join(made.path(flannelImageArchive), flannelArchive);
    const images = new FlannelImages(lab, archive);
    images.running = images.watch();
    return images;
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.running;
  }

  private async watch(): Promise<void> {
    while (!this.stop.signal.aborted) {
      // Nodes that are not ready for it yet are tried again in the next round.
      for (const id of await this.containers())
        await this.once(id, () =>
          docker(["exec", "--interactive", id, ...importing], { inputFile: this.archive }),
        );
      for (const [id = "", node = ""] of await this.machines())
        await this.once(id, () => this.giveMachine(node));
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  private async once(id: string, give: () => Promise<unknown>): Promise<void> {
    if (this.given.has(id)) return;
    await give().then(
      () => this.given.add(id),
      () => undefined,
    );
  }

  /** Ids, because a rebuilt container has the name of the earlier one. */
  private async containers(): Promise<readonly string[]> {
    const label = `label=${clusterLabel}=${this.lab.prefix}`;
    return lines(docker(["ps", "--quiet", "--no-trunc", "--filter", label]));
  }

  /** Ids and names of the Linux nodes that are machines. */
  private async machines(): Promise<readonly string[][]> {
    const each = '{range .items[*]}{.metadata.uid} {.metadata.name}{"\\n"}{end}';
    const only = ["--selector", "kubernetes.io/os=linux", "--output", `jsonpath=${each}`];
    const nodes = (await lines(this.kubectl(["get", "nodes", ...only]))).map((one) =>
      one.split(" "),
    );
    return nodes.filter(([, name = ""]) => !name.startsWith(this.lab.prefix));
  }

  private async giveMachine(node: string): Promise<void> {
    const pod = `images-of-${node}`;
    await this.kubectl(["apply", "--filename", "-"], { input: JSON.stringify(importer(node)) });
    await this.kubectl(["wait", "--for=condition=Ready", `pod/${pod}`, "--timeout=60s"]);
    const there = ["exec", "--stdin", pod, "--", "chroot", "/host", ...importing];
    await this.kubectl(there, { inputFile: this.archive });
    await this.kubectl(["delete", "pod", pod, "--now"]);
  }

  /** Runs in the control plane's container, because `up` writes the user's kubeconfig only at its end. */
  private kubectl(args: readonly string[], from: From = {}): Promise<string> {
    const kubectl = ["kubectl", "--kubeconfig", "/etc/kubernetes/admin.conf", ...args];
    return docker(["exec", "--interactive", this.lab.controlPlane, ...kubectl], from);
  }
}

interface From {
  readonly input?: string;
  readonly inputFile?: string;
}

async function docker(args: readonly string[], from: From = {}): Promise<string> {
  return (await execa("docker", args, { ...from, timeout: 120_000 })).stdout;
}

async function lines(printed: Promise<string>): Promise<readonly string[]> {
  const text = await printed.catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}
