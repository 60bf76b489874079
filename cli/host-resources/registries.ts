import * as z from "zod";
import { actionParameter } from "../../components/host-action/action-parameter.ts";
import {
  isLabPrefix,
  runningOf,
  stopIn,
  type HostResource,
  type ResourceKind,
  type Stop,
} from "../../components/host-resource.ts";
import { localRegistry } from "../../config/local-registry.ts";
import { labIdLabel, registryLabel } from "../../config/names.ts";
import { lines, type Host, unlessGone } from "../../host/host.ts";
import { byHostActions, type Container, containers } from "./containers.ts";

const kind = "image registry";

const columns = `{{.Label "${registryLabel}"}} {{.Label "${labIdLabel}"}}`;

async function find(host: Host): Promise<readonly Container[]> {
  const listed = await host.run("docker", [
    ...["ps", "--all", "--no-trunc", "--filter", `label=${registryLabel}`],
    ...["--format", `{{.Names}} {{.State}} ${columns}`],
  ]);
  return lines(listed).flatMap((line) => {
    const [name = "", state = "", lab = "", mark = ""] = line.split(" ");
    const identity = `${kind} ${name}`;
    return isLabPrefix(lab) ? [{ kind, name, lab, state, role: "registry", identity, mark }] : [];
  });
}

const schema = z.object({ name: z.string() });

/** What the action that runs a registry makes: a container, and a volume of the same name. */
const ownedAs = (kind: string, essential: boolean): ResourceKind["owned"] =>
  byHostActions((resource, component) => {
    if (component !== "kindows:controlplane:LocalRegistry") return [];
    const { name } = actionParameter(resource, "REGISTRY", schema);
    return [{ identity: `${kind} ${name}`, essential }];
  });

/**
 * A registry that runs and cannot be reached: e.g. its interface is in no bridge, because the network was removed and started
 * again. Its container has no program that would tell.
 */
const silent: Stop = {
  kind: `silent ${kind}`,
  verb: ["restart", "restarted"],
  find: async (host, lab) => {
    const running = runningOf(await find(host), lab);
    if (running.length === 0) return [];
    const url = `http://127.0.0.1:${localRegistry.hostPort}/v2/`;
    // One that has just been started needs a moment.
    const tries = ["--retry", "5", "--retry-delay", "1", "--retry-all-errors"];
    const quick = ["--silent", "--show-error", "--noproxy", "*", "--max-time", "5"];
    return host.run("curl", [...quick, ...tries, url]).then(
      () => [],
      () => running.map(({ name }) => ({ name, seen: `${localRegistry.host} does not answer` })),
    );
  },
  start: async (host, name) => {
    await host.run("docker", ["restart", name]);
  },
};

/** The image registries of labs. */
export const registries: ResourceKind<Container> = {
  kind,
  find,
  remove: (resource, host) => containers.remove(resource, host),
  byHand: ({ name }) => `docker rm --force ${name}`,
  owned: ownedAs(kind, true),
  stops: [
    stopIn("exited", { kind, find }, async (host, name) => {
      await host.run("docker", ["start", name]);
    }),
    silent,
  ],
};

/** The volumes with the images of registries. */
export const registryVolumes: ResourceKind = {
  kind: "docker volume",
  find: async (host) =>
    lines(
      await host.run("docker", [
        ...["volume", "ls", "--filter", `label=${registryLabel}`],
        ...["--format", `{{.Name}} ${columns}`],
      ]),
    ).flatMap((line): HostResource[] => {
      const [name = "", lab = "", mark = ""] = line.split(" ");
      const { kind } = registryVolumes;
      return isLabPrefix(lab) ? [{ kind, name, lab, mark, identity: `${kind} ${name}` }] : [];
    }),
  remove: async ({ name }, host) => {
    const names = async (): Promise<readonly string[]> =>
      lines(await host.run("docker", ["volume", "ls", "--quiet"]));
    await host.run("docker", ["volume", "rm", name]).catch(unlessGone(name, names));
  },
  byHand: ({ name }) => `docker volume rm ${name}`,
  owned: ownedAs("docker volume", false),
};
