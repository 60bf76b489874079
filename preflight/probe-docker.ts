import { request } from "node:http";
import * as z from "zod";
import { clusterLabel } from "../config/names.ts";
import { messageOf } from "../host/failure.ts";
import type { Probed } from "./probed.ts";

/** The Docker engine of this host, and what it has that a lab could run into. */
export interface DockerFacts {
  readonly version: string;
  /** A rootless engine has a network of its own, without the host's bridges. */
  readonly rootless: boolean;
  /** Folder of images and containers. */
  readonly rootFolder: string;
  readonly networks: readonly {
    readonly name: string;
    /** IPv4 and IPv6 ranges in CIDR form. */
    readonly cidrs: readonly string[];
    /** Linux bridge; undefined for other drivers. */
    readonly bridge?: string;
  }[];
  readonly containers: readonly {
    readonly name: string;
    /** kind cluster it belongs to, from kind's own label. */
    readonly kindCluster?: string;
    readonly running: boolean;
  }[];
}

const timeoutSeconds = 15;
const defaultSocket = "/var/run/docker.sock";
const bridgeOption = "com.docker.network.bridge.name";

const infoSchema = z.object({
  ServerVersion: z.string(),
  DockerRootDir: z.string(),
  SecurityOptions: z.array(z.string()).nullish(),
});

const networksSchema = z.array(
  z.object({
    Name: z.string(),
    Id: z.string(),
    Driver: z.string(),
    IPAM: z.object({ Config: z.array(z.object({ Subnet: z.string().optional() })).nullish() }),
    Options: z.record(z.string(), z.string()).nullish(),
  }),
);

const containersSchema = z.array(
  z.object({
    Names: z.array(z.string()),
    Labels: z.record(z.string(), z.string()).nullish(),
    State: z.string(),
  }),
);

/** Asks the Docker engine at DOCKER_HOST, or at its usual socket. */
export async function probeDocker(
  endpoint = process.env["DOCKER_HOST"],
): Promise<Probed<DockerFacts>> {
  const socket = endpoint === undefined || endpoint === "" ? `unix://${defaultSocket}` : endpoint;
  if (!socket.startsWith("unix://")) {
    return {
      reachable: false,
      error: `DOCKER_HOST is ${socket}, which is not a socket of this host`,
    };
  }
  const path = socket.slice("unix://".length);
  try {
    const [info, networks, containers] = await Promise.all([
      ask(path, "/info").then((answer) => infoSchema.parse(answer)),
      ask(path, "/networks").then((answer) => networksSchema.parse(answer)),
      ask(path, "/containers/json?all=true").then((answer) => containersSchema.parse(answer)),
    ]);
    return {
      reachable: true,
      version: info.ServerVersion,
      rootless: (info.SecurityOptions ?? []).some((option) => option.includes("rootless")),
      rootFolder: info.DockerRootDir,
      networks: networks.map((network) => ({
        name: network.Name,
        cidrs: (network.IPAM.Config ?? [])
          .map(({ Subnet }) => Subnet)
          .filter((one) => one !== undefined),
        bridge: bridgeOf(network),
      })),
      containers: containers.map(({ Names, Labels, State }) => ({
        name: (Names[0] ?? "").replace(/^\//, ""),
        kindCluster: Labels?.[clusterLabel],
        running: State === "running",
      })),
    };
  } catch (error) {
    return { reachable: false, error: messageOf(error) };
  }
}

/** The bridge Docker names after a network's id, unless it was told another. */
function bridgeOf({
  Driver,
  Options,
  Id,
}: z.infer<typeof networksSchema>[number]): string | undefined {
  return Driver === "bridge" ? (Options?.[bridgeOption] ?? `br-${Id.slice(0, 12)}`) : undefined;
}

/** One GET over a Unix socket, its answer read as JSON. */
function ask(socketPath: string, path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { socketPath, path, headers: { host: "docker" }, timeout: timeoutSeconds * 1000 },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(parts).toString("utf8");
          if (response.statusCode !== 200) {
            reject(new Error(`${path} answered ${response.statusCode}: ${text.trim()}`));
            return;
          }
          try {
            resolve(JSON.parse(text));
          } catch {
            reject(new Error(`${path} at ${socketPath} did not answer in JSON`));
          }
        });
      },
    );
    asked.on("timeout", () =>
      asked.destroy(new Error(`no answer at ${socketPath} in ${timeoutSeconds} s`)),
    );
    asked.on("error", reject);
    asked.end();
  });
}
