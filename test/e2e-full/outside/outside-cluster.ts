import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { ensureClusterImages } from "../../../components/controlplane/actions/cluster-images.ts";
import { containerAddress } from "../../../host/docker.ts";
import { hostTraits } from "../../../components/controlplane/host-traits.ts";
import { kindConfig } from "../../../components/controlplane/kind-config.ts";
import { Cluster } from "../../e2e/cluster.ts";
import { builtArtifacts, builtTool } from "../../../toolchain/built.ts";
import { bridge, controlPlane, outside, segment } from "./outside-names.ts";

const kindSeconds = 600;

/** A cluster that somebody has made with kind, with kind's own pod network. */
export class OutsideCluster extends Cluster {
  private constructor(
    /** File of the kubeconfig that kind gives its user. */
    kubeconfig: string,
    /** The control plane's address on the segment. */
    readonly address: string,
  ) {
    super(kubeconfig);
  }

  /** Runs kind on a Docker network of its own name, on the bridge that libvirt has made. */
  static async make(folder: string): Promise<OutsideCluster> {
    await execa("docker", [
      ...["network", "create", "--subnet", segment.cidr, "--gateway", segment.gateway],
      ...["--ip-range", segment.containerRange],
      ...["--opt", `com.docker.network.bridge.name=${bridge}`],
      ...["--opt", "com.docker.network.bridge.enable_ip_masquerade=false", outside],
    ]);
    const shape = {
      name: outside,
      image: builtArtifacts().nodeImage?.reference ?? "kindest/node:v1.36.4",
      controlPlanes: 1 as const,
      podCidr: "10.244.0.0/16",
      serviceCidr: "10.96.0.0/16",
      defaultCni: true,
    };
    await ensureClusterImages(shape);
    const { stdout: info } = await execa("docker", ["info", "--format", "{{json .}}"]);
    const config = path.join(folder, "kind.yaml");
    const traits = hostTraits(info, await readFile("/proc/self/status", "utf8"));
    await writeFile(config, kindConfig(shape, traits));
    const kubeconfig = path.join(folder, "kubeconfig");
    await execa(
      builtTool("kind"),
      ["create", "cluster", "--config", config, "--kubeconfig", kubeconfig, "--wait", "180s"],
      { env: { KIND_EXPERIMENTAL_DOCKER_NETWORK: outside }, timeout: kindSeconds * 1000 },
    );
    return new OutsideCluster(kubeconfig, await containerAddress(controlPlane, outside));
  }

  static async remove(): Promise<void> {
    const folder = { KUBECONFIG: "/dev/null" };
    await execa(builtTool("kind"), ["delete", "cluster", "--name", outside], { env: folder });
    await execa("docker", ["network", "rm", outside], { reject: false });
  }

  /**
   * Everything that is in the cluster, by kind and name; but events, leases, and what goes by itself: pods, and what
   * controllers make for these.
   */
  async objects(): Promise<readonly string[]> {
    const kinds = (await this.kubectl("api-resources", "--verbs", "list", "-o", "name"))
      .split("\n")
      .filter((kind) => kind !== "" && !/^(events|leases|pods|endpoint)/.test(kind));
    const listed = await this.kubectl(
      ...["get", kinds.join(","), "--all-namespaces", "--ignore-not-found", "-o"],
      "jsonpath={range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name}{'\\n'}{end}",
    );
    return listed.split("\n").filter(Boolean).sort();
  }
}
