import * as z from "zod";
import type { Drive } from "../drive.ts";
import type { MachineTime } from "../machine-time.ts";
import type { ProgramResult } from "../programs.ts";
import type { FakeCluster, FakeJoin } from "./fake-cluster.ts";

const configurationSchema = z.object({
  apiVersion: z.literal("kubeadm.k8s.io/v1beta4"),
  kind: z.literal("JoinConfiguration"),
  discovery: z.object({
    bootstrapToken: z.object({
      apiServerEndpoint: z.string().regex(/^[^:\s]+:\d+$/),
      token: z.string().regex(/^[a-z0-9]{6}\.[a-z0-9]{16}$/),
      caCertHashes: z.array(z.string()).min(1),
    }),
  }),
  nodeRegistration: z.object({ name: z.string(), criSocket: z.string() }),
});

/** What stands in kubelet's kubeconfigs here. */
const joinSchema = z.object({
  endpoint: z.string(),
  token: z.string(),
  caCertHashes: z.array(z.string()),
});

const bootstrapConfig = "C:\\etc\\kubernetes\\bootstrap-kubelet.conf";
const caCertificate = "C:\\etc\\kubernetes\\pki\\ca.crt";
const kubeletConfiguration = "C:\\var\\lib\\kubelet\\config.yaml";
const kubeletFlags = "C:\\var\\lib\\kubelet\\kubeadm-flags.env";
export const kubeletKubeconfig = "C:\\etc\\kubernetes\\kubelet.conf";
/** Files that must not be there before a join, as kubeadm's preflight checks say. */
const mustBeAbsent = [kubeletKubeconfig, bootstrapConfig, caCertificate];

/** What the fake kubeadm works on. */
export interface FakeKubeadm {
  readonly drive: Drive;
  readonly version: string;
  readonly cluster: FakeCluster;
  readonly time: MachineTime;
  /** The machine's clock. */
  now(): Date;
  /** Asks the service manager. */
  startKubelet(): Promise<void> | undefined;
  isKubeletRunning(): Promise<boolean>;
}

/** Certificates are dated back by so much. */
const backdateMilliseconds = 5 * 60 * 1000;

/** Runs `kubeadm.exe version`, `join --config FILE` or `reset`. */
export async function runFakeKubeadm(
  kubeadm: FakeKubeadm,
  args: readonly string[],
): Promise<ProgramResult> {
  const command = args[0] ?? "";
  switch (command) {
    case "version":
      return { exitCode: 0, stdout: `v${kubeadm.version}\n`, stderr: "" };
    case "join":
      return join(kubeadm, args[args.indexOf("--config") + 1] ?? "");
    case "reset":
      for (const path of [...mustBeAbsent, kubeletConfiguration, kubeletFlags]) {
        await kubeadm.drive.remove(path);
      }
      return { exitCode: 0, stdout: "[reset] Stopping the kubelet service\n", stderr: "" };
    default:
      return failed(`unknown command "${command}" for "kubeadm"`);
  }
}

/** The join a running kubelet belongs to, from what kubeadm left for it. */
export async function readFakeJoin(drive: Drive): Promise<FakeJoin | undefined> {
  const text = (await drive.readText(bootstrapConfig)) ?? (await drive.readText(kubeletKubeconfig));
  return text === undefined ? undefined : joinSchema.parse(JSON.parse(text));
}

async function join(kubeadm: FakeKubeadm, path: string): Promise<ProgramResult> {
  const { drive, cluster, time } = kubeadm;
  const text = await drive.readText(path);
  if (text === undefined) return failed(`unable to read config from "${path}"`);
  const configuration = configurationSchema.safeParse(JSON.parse(text));
  if (!configuration.success) return failed(z.prettifyError(configuration.error));
  for (const file of mustBeAbsent) {
    if (await drive.isFile(file)) return failed(`[ERROR FileAvailable]: ${file} already exists`);
  }
  const { apiServerEndpoint, token, caCertHashes } = configuration.data.discovery.bootstrapToken;
  const now = kubeadm.now();
  if (now.getTime() < Date.now() - backdateMilliseconds) {
    return failed(
      `x509: certificate has expired or is not yet valid: current time ${now.toISOString()} is before its start`,
    );
  }
  const join: FakeJoin = { endpoint: apiServerEndpoint, token, caCertHashes };
  try {
    await cluster.authorize(join);
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
  await drive.write(caCertificate, "fake CA certificate\n");
  await drive.write(bootstrapConfig, JSON.stringify(join), true);
  await drive.write(kubeletConfiguration, "kind: KubeletConfiguration\n");
  await drive.write(kubeletFlags, 'KUBELET_KUBEADM_ARGS=""\n');
  // Where it does not start, the check says so.
  await kubeadm.startKubelet()?.catch(() => undefined);
  const deadline = time.elapsed() + 5000;
  while (!(await kubeadm.isKubeletRunning()) || !(await drive.isFile(kubeletKubeconfig))) {
    if (time.elapsed() > deadline)
      return failed("[kubelet-check] The kubelet is not healthy after 5s");
    await time.sleep(20);
  }
  await drive.remove(bootstrapConfig);
  return { exitCode: 0, stdout: "This node has joined the cluster (fake).\n", stderr: "" };
}

function failed(message: string): ProgramResult {
  return {
    exitCode: 1,
    stdout: "",
    stderr: `error execution phase (fake kubeadm): ${message}\n`,
  };
}
