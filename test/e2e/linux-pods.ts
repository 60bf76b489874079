import { execa } from "execa";
import { stringify } from "yaml";
import type { TestLab } from "./lab.ts";

const port = 1053;

/**
 * Starts a pod on each of two Linux nodes and connects from each one's network namespace to the other's address.
 *
 * The pods run CoreDNS' image, which every node of kind's has; it holds nothing to connect with, so the node's own
 * shell enters the pod's network namespace and does it from there.
 *
 * @throws when a pod does not come up, or a connection is not made within 5 seconds.
 */
export async function connectLinuxPods(
  lab: TestLab,
  nodes: readonly [string, string],
): Promise<void> {
  const image = await lab.kubectl(
    ...["-n", "kube-system", "get", "deployment", "coredns"],
    ...["-o", "jsonpath={.spec.template.spec.containers[0].image}"],
  );
  const names = nodes.map((node) => `probe-${node}`);
  try {
    await Promise.all(nodes.map((node) => lab.kubectlApply(stringify(probe(node, image.trim())))));
    await lab.kubectl(
      "wait",
      "--for=condition=Ready",
      "--timeout=60s",
      ...names.map((name) => `pod/${name}`),
    );
    const [first, second] = await Promise.all(names.map((name) => podAddress(lab, name)));
    await connectFrom(nodes[0], String(second));
    await connectFrom(nodes[1], String(first));
  } finally {
    await lab.kubectl("delete", "pod", "--ignore-not-found", "--grace-period=1", ...names);
  }
}

function probe(node: string, image: string): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `probe-${node}` },
    spec: {
      nodeName: node,
      tolerations: [{ operator: "Exists" }],
      terminationGracePeriodSeconds: 1,
      containers: [{ name: "probe", image, imagePullPolicy: "Never", args: [`-dns.port=${port}`] }],
    },
  };
}

async function podAddress(lab: TestLab, name: string): Promise<string> {
  return lab.kubectl("get", "pod", name, "-o", "jsonpath={.status.podIP}");
}

async function connectFrom(node: string, address: string): Promise<void> {
  const script = `
    pid=$(pgrep -f -- '-dns.port=${port}' | head -n 1) &&
    nsenter --target "$pid" --net timeout 5 bash -c 'exec 3<>/dev/tcp/${address}/${port}'`;
  await execa("docker", ["exec", node, "bash", "-c", script], { timeout: 20_000 });
}
