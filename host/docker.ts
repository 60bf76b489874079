import { lines } from "./host.ts";
import { runProgram, type RunOptions } from "./run-program.ts";

interface DockerOptions extends Pick<RunOptions, "input"> {
  /** Longest run in seconds. Default: 60. */
  readonly timeoutSeconds?: number;
}

/** Runs Docker and returns its output. @throws with the end of its standard error, never with its input. */
export async function docker(
  args: readonly string[],
  { input = "", timeoutSeconds = 60 }: DockerOptions = {},
): Promise<string> {
  const { how, stdout, reason } = await runProgram("docker", args, timeoutSeconds, { input });
  if (how === "well") return stdout;
  const why =
    how === "missing"
      ? "there is no docker command: install Docker (`kindows doctor` says how)"
      : reason.split("\n").slice(-5).join(" ");
  throw new Error(`docker ${args.slice(0, 2).join(" ")}: ${why}`);
}

/** Whether Docker has an image. `docker images` would not know a name with docker.io. */
export function hasImage(image: string): Promise<boolean> {
  return docker(["image", "inspect", "--format", "{{.Id}}", image], { timeoutSeconds: 30 }).then(
    () => true,
    () => false,
  );
}

/** Containers with a label, written as `key=value`, including stopped ones, sorted by name. */
export async function labelledContainers(label: string): Promise<readonly string[]> {
  const filter = ["--filter", `label=${label}`];
  return lines(await docker(["ps", "--all", ...filter, "--format", "{{.Names}}"]));
}

export async function removeContainers(names: readonly string[]): Promise<void> {
  if (names.length > 0) {
    await docker(["rm", "--force", "--volumes", ...names], { timeoutSeconds: 120 });
  }
}

export async function containerAddress(container: string, network: string): Promise<string> {
  const template = `{{with index .NetworkSettings.Networks ${JSON.stringify(network)}}}{{.IPAddress}}{{end}}`;
  const address = await docker(["inspect", "--format", template, container]);
  if (address === "") {
    throw new Error(`the container ${container} is not running, or not on the network ${network}`);
  }
  return address;
}
