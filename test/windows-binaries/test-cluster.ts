import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, open, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import {
  type ApiConstructor,
  type ApiType,
  CoreV1Api,
  Health,
  KubeConfig,
  type V1Node,
} from "@kubernetes/client-node";
import { execa } from "execa";
import { stringify } from "yaml";
import { messageOf } from "../../host/failure.ts";
import { newToken, tokenId, tokenSecret } from "../../components/controlplane/join-token.ts";
import { caCertHash } from "../../host/kubernetes/ca-cert-hash.ts";
import { kubernetesVersion } from "../../toolchain/tools/table.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { clusterAddress, clusterName, testPrograms } from "./test-programs.ts";

/** Longest wait for the API server, a Node or a signature, in seconds. */
const waitSeconds = 40;
const phaseMilliseconds = 60_000;

const port = 6443;
const etcdUrl = "http://127.0.0.1:2379";

/**
 * A real control plane without nodes, made by the phases of `kubeadm init`: etcd, API server and controllers as
 * processes, the bootstrap token's objects, certificates signed and approved by Kubernetes' own controllers.
 *
 * Only one at a time, because all use the same ports. Its processes end with the namespaces of `main.ts` at the latest.
 */
export class TestCluster {
  /** `host:port` for nodes. */
  readonly endpoint = `${clusterName}:${String(port)}`;
  readonly #config = new KubeConfig();
  readonly #api: CoreV1Api;

  private constructor(
    readonly folder: string,
    readonly kubeconfig: string,
    private readonly processes: ChildProcess[],
  ) {
    this.#config.loadFromString(kubeconfig);
    this.#api = this.#config.makeApiClient(CoreV1Api);
  }

  static async start(): Promise<TestCluster> {
    const folder = await mkdtemp(join(tmpdir(), "kindows-tested-cluster-"));
    const file = (name: string): string => join(folder, name);
    const here = { certificatesDir: file("pki") };
    for (const name of ["ca", "apiserver", "sa"]) await phase(folder, here, "certs", name);
    for (const name of ["super-admin", "controller-manager"]) {
      await phase(folder, here, "kubeconfig", name, `--kubeconfig-dir=${folder}`);
    }
    const processes = await startApiServer(folder);
    const kubeconfig = await readFile(file("super-admin.conf"), "utf8");
    const cluster = new TestCluster(folder, kubeconfig, processes);
    // Waits for the roles of its first start, without which the controllers exit.
    const health = new Health(cluster.#config);
    await waitFor("the API server", () => health.readyz({}));
    processes.push(await startControllers(folder));
    for (const phases of [["upload-config", "all"], ["bootstrap-token"]]) {
      // With kubeadm's own certificate folder, /etc/kubernetes/pki, because nodes get its path.
      await phase(folder, {}, ...phases, `--kubeconfig=${file("super-admin.conf")}`);
    }
    return cluster;
  }

  get caCertHash(): string {
    return caCertHash(this.kubeconfig);
  }

  /** Creates a token with the program's own code, and waits until the cluster has signed cluster-info with it. */
  async token(expiration = new Date(Date.now() + 3_600_000)): Promise<string> {
    const token = newToken();
    const body = tokenSecret(token, expiration, "for the tested node");
    await this.#api.createNamespacedSecret({ namespace: "kube-system", body });
    if (expiration > new Date()) {
      await waitFor("the signature for the token", async () => {
        const read = { name: "cluster-info", namespace: "kube-public" };
        const { data } = await this.#api.readNamespacedConfigMap(read);
        return data?.[`jws-kubeconfig-${tokenId(token)}`] !== undefined;
      });
    }
    return token;
  }

  /** Starts a further program of the cluster, with the cluster's administrator as its account, until the cluster stops. */
  async run(
    program: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
  ): Promise<void> {
    const variables = { ...environment, KUBECONFIG: join(this.folder, "super-admin.conf") };
    this.processes.push(await launch(this.folder, program, args, variables));
  }

  /** What a program of the cluster has written, for the message of a failure. */
  async log(name: string): Promise<string> {
    return (await readFile(join(this.folder, `${name}.log`), "utf8")).slice(-4000);
  }

  /** Ends its processes and frees its ports. */
  async stop(): Promise<void> {
    for (const each of this.processes) {
      if (each.exitCode !== null || each.signalCode !== null) continue;
      const gone = once(each, "exit");
      each.kill("SIGKILL");
      await gone;
    }
  }

  makeClient<Api extends ApiType>(api: ApiConstructor<Api>): Api {
    return this.#config.makeApiClient(api);
  }

  async nodes(): Promise<readonly V1Node[]> {
    return (await this.#api.listNode()).items;
  }

  async deleteNode(name: string): Promise<void> {
    await this.#api.deleteNode({ name });
  }
}

/** Runs one phase of `kubeadm init`, with additions to its ClusterConfiguration. */
async function phase(folder: string, settings: object, ...args: string[]): Promise<void> {
  const configuration = join(folder, "kubeadm.yaml");
  await writeFile(configuration, kubeadmConfiguration(settings));
  await execa(
    join(testPrograms().kubernetesLinux, "kubeadm"),
    ["init", "phase", ...args, `--config=${configuration}`],
    { timeout: phaseMilliseconds },
  );
}

function kubeadmConfiguration(settings: object): string {
  const apiVersion = "kubeadm.k8s.io/v1beta4";
  const documents = [
    {
      apiVersion,
      kind: "InitConfiguration",
      localAPIEndpoint: { advertiseAddress: clusterAddress, bindPort: port },
      nodeRegistration: { name: clusterName },
    },
    {
      apiVersion,
      kind: "ClusterConfiguration",
      kubernetesVersion: `v${kubernetesVersion}`,
      controlPlaneEndpoint: `${clusterName}:${String(port)}`,
      networking: { podSubnet: "10.244.0.0/16", serviceSubnet: "10.96.0.0/16" },
      ...settings,
    },
  ];
  return documents.map((each) => stringify(each)).join("---\n");
}

async function startApiServer(folder: string): Promise<ChildProcess[]> {
  const { etcd, kubeApiserver } = testPrograms();
  const pki = (name: string): string => join(folder, "pki", name);
  await mkdir(join(folder, "etcd"), { mode: 0o700 });
  const store = await launch(folder, join(etcd, "etcd"), [
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    "--unsafe-no-fsync",
  ]);
  const apiServer = await launch(folder, join(kubeApiserver, "kube-apiserver"), [
    `--etcd-servers=${etcdUrl}`,
    `--advertise-address=${clusterAddress}`,
    `--secure-port=${String(port)}`,
    `--tls-cert-file=${pki("apiserver.crt")}`,
    `--tls-private-key-file=${pki("apiserver.key")}`,
    `--client-ca-file=${pki("ca.crt")}`,
    "--authorization-mode=Node,RBAC",
    "--enable-admission-plugins=NodeRestriction",
    "--enable-bootstrap-token-auth=true",
    "--allow-privileged=true",
    "--service-cluster-ip-range=10.96.0.0/16",
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    `--service-account-key-file=${pki("sa.pub")}`,
    `--service-account-signing-key-file=${pki("sa.key")}`,
  ]);
  return [store, apiServer];
}

/** Starts the controllers, which exit if there is no API server yet. */
async function startControllers(folder: string): Promise<ChildProcess> {
  const pki = (name: string): string => join(folder, "pki", name);
  const kubeconfig = join(folder, "controller-manager.conf");
  return launch(folder, join(testPrograms().kubernetesLinux, "kube-controller-manager"), [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--leader-elect=false",
    "--use-service-account-credentials=true",
    // Linux nodes only exist by name here: nobody renews their leases, and they are not to be taken for lost.
    "--controllers=*,bootstrap-signer-controller,token-cleaner-controller,-node-lifecycle-controller",
    `--client-ca-file=${pki("ca.crt")}`,
    `--root-ca-file=${pki("ca.crt")}`,
    `--cluster-signing-cert-file=${pki("ca.crt")}`,
    `--cluster-signing-key-file=${pki("ca.key")}`,
    `--service-account-private-key-file=${pki("sa.key")}`,
  ]);
}

/** Starts a program of the control plane; its log stays beside its data. */
async function launch(
  folder: string,
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const log = await open(join(folder, `${basename(program)}.log`), "w");
  const child = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", log.fd, log.fd],
  });
  await log.close();
  return child;
}

/** @throws after the time limit, with the last state. */
export async function waitFor(
  what: string,
  look: () => Promise<boolean>,
  timeoutSeconds: number = waitSeconds,
): Promise<void> {
  await waitUntil({ what, timeoutSeconds, pollMilliseconds: 200 }, () =>
    look().then((isSo) => (isSo ? undefined : "not there"), messageOf),
  );
}
