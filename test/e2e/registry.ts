import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import { copyToMachine } from "../../cli/lab/on-machine.ts";
import { localRegistry } from "../../config/local-registry.ts";
import { messageOf } from "../../host/failure.ts";
import { inContainer, type TestLab } from "./lab.ts";

/** An image with one program, which answers over HTTP: that of the registry itself, under another name. */
const pushed = `${localRegistry.host}/e2e/answering:1`;

/** `content fetch`, because Wine cannot unpack layers, as `pull` would. */
const fetching = `& "$env:ProgramFiles\\containerd\\ctr.exe" --namespace k8s.io content fetch \`
    --hosts-dir "$env:ProgramFiles\\containerd\\certs.d" --platform linux/amd64 ${pushed}
exit $LASTEXITCODE
`;

/**
 * Pushes an image from this host. A pod on a Linux node runs from it, and on Windows containerd's own client, which reads the
 * same files as containerd itself, gets its bytes into containerd's content store.
 */
export async function pullsFromRegistry(lab: TestLab, linux: string): Promise<void> {
  await execa("docker", ["tag", localRegistry.image, pushed]);
  await execa("docker", ["push", "--quiet", pushed]);
  await execa("docker", ["image", "rm", pushed]);
  const probe = { httpGet: { path: "/v2/", port: localRegistry.containerPort } };
  await lab.kubectlApply(
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "pulled" },
      spec: {
        nodeName: linux,
        terminationGracePeriodSeconds: 1,
        containers: [
          { name: "main", image: pushed, imagePullPolicy: "Always", readinessProbe: probe },
        ],
      },
    }),
  );
  await lab.untilCondition("Ready", "pod/pulled").catch(async (error: unknown) => {
    throw new Error(`${messageOf(error)}\n${await lab.kubectl("describe", "pod", "pulled")}`);
  });
  await lab.kubectl("delete", "pod", "pulled");
  const hosting = ["-n", "kube-public", "get", "configmap", "local-registry-hosting"];
  assert.match(await lab.kubectl(...hosting, "-o", "yaml"), /host: "localhost:5001"/);

  const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-e2e-registry-"));
  try {
    const script = path.join(folder, "fetch.ps1");
    await writeFile(script, fetching.replaceAll("\n", "\r\n"));
    await copyToMachine("win-1", await lab.machine("win-1"), script, "/C:/k/fetch.ps1");
    const shell = "powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass";
    await lab.onMachine("win-1", `${shell} -File C:\\k\\fetch.ps1`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Nothing of the registry is left: neither its container and images, nor that nodes look for it. */
export async function hasNoRegistry(lab: TestLab): Promise<void> {
  const filter = ["--all", "--quiet", "--filter", `label=kindows.registry-of=${lab.prefix}`];
  assert.equal((await execa("docker", ["ps", ...filter])).stdout, "");
  const volumes = ["volume", "ls", "--quiet", "--filter", filter.at(-1) ?? ""];
  assert.equal((await execa("docker", volumes)).stdout, "");
  assert.equal(await inContainer(lab.controlPlane, "ls", "/etc/containerd/certs.d"), "");
  const kept = 'type "C:\\Program Files\\containerd\\certs.d\\localhost_5001_\\hosts.toml"';
  await assert.rejects(lab.onMachine("win-1", kept));
}
