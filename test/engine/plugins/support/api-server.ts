import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import https from "node:https";
import { text } from "node:stream/consumers";
import { started, stopped } from "../../../left-running.ts";
import { waitUntil } from "../../../../host/wait-until.ts";
import { ownAddress, ownPort } from "../../../own-address.ts";
import { findTool } from "./engine.ts";

/** Longest wait for etcd and the API server. */
const START_SECONDS = 90;

/** A request, from the API server's audit log. */
export interface Asked {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
}

/** One entry for each request, including watches. */
const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  rules: [{ level: "Metadata" }],
  omitStages: ["ResponseStarted", "ResponseComplete"],
};

/** A real Kubernetes API server and etcd, without controllers and nodes, whose work tests do themselves. */
export class ApiServer {
  readonly kubeconfig: string;

  private constructor(
    private readonly folder: string,
    private readonly url: string,
    private readonly token: string,
    private readonly ca: string,
    private readonly processes: readonly ChildProcess[],
  ) {
    const data = Buffer.from(ca).toString("base64");
    const cluster = { server: url, "certificate-authority-data": data };
    this.kubeconfig = JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "test",
      clusters: [{ name: "test", cluster }],
      contexts: [{ name: "test", context: { cluster: "test", user: "admin" } }],
      users: [{ name: "admin", user: { token } }],
    });
  }

  static async start(): Promise<ApiServer> {
    const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-apiserver-"));
    const token = randomBytes(16).toString("hex");
    const [client, peer, secure] = [await ownPort(), await ownPort(), await ownPort()];
    const address = ownAddress();
    const file = (name: string): string => path.join(folder, name);
    await writeFile(file("tokens.csv"), `${token},admin,admin,system:masters\n`, { mode: 0o600 });
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    await writeFile(file("audit.json"), JSON.stringify(auditPolicy));
    await writeFile(file("sa.key"), privateKey.export({ type: "pkcs1", format: "pem" }), {
      mode: 0o600,
    });
    const etcdUrl = `http://${address}:${client}`;
    const peerUrl = `http://${address}:${peer}`;
    const etcd = await launch("etcd", file("etcd.log"), [
      `--data-dir=${file("etcd")}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      "--unsafe-no-fsync",
    ]);
    const server = await launch("kube-apiserver", file("apiserver.log"), [
      `--etcd-servers=${etcdUrl}`,
      `--bind-address=${address}`,
      `--advertise-address=${address}`,
      `--secure-port=${secure}`,
      `--cert-dir=${file("certificates")}`,
      `--token-auth-file=${file("tokens.csv")}`,
      "--authorization-mode=RBAC",
      `--audit-policy-file=${file("audit.json")}`,
      `--audit-log-path=${file("audit.log")}`,
      // As kubeadm sets it: HostProcess containers are privileged.
      "--allow-privileged=true",
      "--service-cluster-ip-range=10.0.0.0/24",
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-key-file=${file("sa.key")}`,
      `--service-account-signing-key-file=${file("sa.key")}`,
      "--disable-admission-plugins=ServiceAccount",
      // No controller would finish a foreground deletion.
      "--enable-garbage-collector=false",
    ]);
    const url = `https://${address}:${secure}`;
    const what = `the API server, whose log is ${file("apiserver.log")}`;
    const options = { what, timeoutSeconds: START_SECONDS, pollMilliseconds: 200 };
    const made = async (): Promise<ApiServer> => {
      const ca = await readFile(file("certificates/apiserver.crt"), "utf8");
      return new ApiServer(folder, url, token, ca, [server, etcd]);
    };
    const look = async (): Promise<undefined> => {
      const answering = await made();
      await answering.request("GET", "/readyz");
      await answering.request("GET", "/api/v1/namespaces/default");
    };
    try {
      await waitUntil(options, look);
    } catch (error) {
      for (const child of [server, etcd]) child.kill("SIGKILL");
      throw error;
    }
    const result = await made();
    started("an API server", result);
    return result;
  }

  /** @returns the answer's JSON, or its text if it is not JSON. @throws for any status from 400 */
  request(
    method: string,
    requestPath: string,
    body?: unknown,
    contentType = "application/json",
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${this.token}`, "content-type": contentType };
      const options = { method, ca: this.ca, headers };
      const outgoing = https.request(`${this.url}${requestPath}`, options, (response) => {
        void text(response).then((answer) => {
          const status = response.statusCode ?? 0;
          if (status >= 400) reject(new Error(`${String(status)}: ${answer}`));
          else resolve(answer.startsWith("{") ? JSON.parse(answer) : answer);
        }, reject);
      });
      outgoing.on("error", reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** An object; undefined if it does not exist. */
  async get<Result>(requestPath: string): Promise<Result | undefined> {
    try {
      return (await this.request("GET", requestPath)) as Result;
    } catch (error) {
      if ((error as Error).message.startsWith("404")) return undefined;
      throw error;
    }
  }

  /** All requests so far. */
  async asked(): Promise<readonly Asked[]> {
    const log = await readFile(path.join(this.folder, "audit.log"), "utf8");
    return log.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Asked]));
  }

  /** Changes an object as another client would. */
  async patch(requestPath: string, body: unknown): Promise<void> {
    await this.request("PATCH", requestPath, body, "application/merge-patch+json");
  }

  async stop(): Promise<void> {
    stopped(this);
    for (const child of this.processes) {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      if (child.exitCode === null && child.kill("SIGKILL")) await gone;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Starts a server that ends with this process, also if that is killed. */
async function launch(tool: string, log: string, args: readonly string[]): Promise<ChildProcess> {
  const output = await open(log, "w");
  const child = spawn("setpriv", ["--pdeathsig", "KILL", "--", findTool(tool), ...args], {
    stdio: ["ignore", output.fd, output.fd],
  });
  await output.close();
  return child;
}
