/** Host action: the Docker network on a lab's bridge. Its argument is `create`, `read` or `delete`. */
import * as z from "zod";
import { labIdLabel } from "../../../config/names.ts";
import { docker } from "../../../host/docker.ts";
import { messageOf } from "../../../host/failure.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import type { Finding } from "../../host-action/host-action.ts";
import { runAction, say } from "../../host-action/run-action.ts";

const networkSchema = z.strictObject({
  name: z.string(),
  subnet: z.string(),
  gateway: z.string(),
  /** Part of `subnet` from which containers get their addresses. */
  ipRange: z.string(),
  bridge: z.string(),
  /** The lab's random id. */
  labId: z.string(),
});

export const environment = { NETWORK: networkSchema };

type Network = z.infer<typeof networkSchema>;

/** Longest wait for containers to leave the network. After that, something else uses it. */
const leaveSeconds = 30;

await runAction(
  environment,
  async ({ NETWORK: network }): Promise<string | Finding | undefined> => {
    const id = await idOf(network.name);
    const [, , operation] = process.argv;
    const known = process.env["PULUMI_COMMAND_STDOUT"] ?? "";
    if (operation === "create") return create(network, id, known);
    // One that somebody has made under the same name since is not this lab's.
    if (operation === "delete") return id === known ? remove(network.name, id) : undefined;
    if (id === known) return undefined;
    return { gone: `there is ${id === "" ? "no" : "another"} Docker network ${network.name}` };
  },
);

/** Id of the network of this name; empty if there is none. */
function idOf(name: string): Promise<string> {
  const filter = ["--filter", `name=^${name}$`, "--format", "{{.ID}}"];
  return docker(["network", "ls", "--no-trunc", ...filter]);
}

/**
 * Returns the id of the network. Keeps one that the state knows or a killed run has left, if it is configured alike.
 *
 * @param known the id in the state, if there is one.
 * @throws if the network is another lab's.
 */
async function create(
  { name, subnet, gateway, ipRange, bridge, labId }: Network,
  id: string,
  known: string,
): Promise<string> {
  const bridgeOption = "com.docker.network.bridge.name";
  if (id !== "") {
    const label = ["--format", `{{index .Labels "${labIdLabel}"}}`];
    const mark = await docker(["network", "inspect", ...label, id]);
    if (id !== known && mark !== labId) {
      throw new Error(
        `there is a Docker network ${name} that this lab has not made: if nobody uses it, remove it with ` +
          `\`docker network rm ${name}\`; otherwise set another kindows:lab.name`,
      );
    }
    const ranges = "{{range .IPAM.Config}}{{.Subnet}} {{.Gateway}} {{.IPRange}}{{end}}";
    const format = `${ranges} {{index .Options "${bridgeOption}"}}`;
    const actual = await docker(["network", "inspect", "--format", format, id]);
    if (actual === [subnet, gateway, ipRange, bridge].join(" ")) return id;
    say(`there is a different Docker network ${name}`);
    await remove(name, id);
  }
  return docker([
    ...["network", "create", "--driver", "bridge"],
    ...["--subnet", subnet, "--gateway", gateway, "--ip-range", ipRange],
    ...["--label", `${labIdLabel}=${labId}`],
    ...["--opt", `${bridgeOption}=${bridge}`],
    ...["--opt", "com.docker.network.bridge.enable_ip_masquerade=false", name],
  ]);
}

async function remove(name: string, id: string): Promise<undefined> {
  if (id === "") return;
  const what = `the Docker network ${name} to be removed`;
  await waitUntil({ what, timeoutSeconds: leaveSeconds, onChange: say }, () =>
    docker(["network", "rm", id]).then(
      () => undefined,
      async (error: unknown) => ((await idOf(name)) === id ? messageOf(error) : undefined),
    ),
  );
}
