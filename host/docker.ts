import { ExecaError, execa } from "execa";

export interface DockerOptions {
  /** Text for its standard input. */
  readonly input?: string;
  /** Longest run in seconds. Default: 60. */
  readonly timeoutSeconds?: number;
}

/**
 * Runs the Docker command line to its end and returns its standard output.
 *
 * @throws with the end of Docker's error, never with its input.
 */
export async function docker(
  args: readonly string[],
  options: DockerOptions = {},
): Promise<string> {
  try {
    const done = await execa("docker", args, {
      input: options.input ?? "",
      timeout: (options.timeoutSeconds ?? 60) * 1000,
    });
    return done.stdout;
  } catch (error) {
    throw new Error(`docker ${args.slice(0, 2).join(" ")}: ${reason(error)}`);
  }
}

/** Containers with a label, written as `key=value`, including stopped ones, sorted by name. */
export async function labelledContainers(label: string): Promise<string[]> {
  const names = await docker([
    "ps",
    "--all",
    "--filter",
    `label=${label}`,
    "--format",
    "{{.Names}}",
  ]);
  return names.split("\n").filter((name) => name !== "");
}

/** Removes containers with their volumes; ignores those that are already gone. */
export async function removeContainers(names: readonly string[]): Promise<void> {
  if (names.length > 0) {
    await docker(["rm", "--force", "--volumes", ...names], { timeoutSeconds: 120 });
  }
}

/** IPv4 address of a container on a network. */
export async function containerAddress(container: string, network: string): Promise<string> {
  const template = `{{with index .NetworkSettings.Networks ${JSON.stringify(network)}}}{{.IPAddress}}{{end}}`;
  const address = await docker(["inspect", "--format", template, container]);
  if (address === "") {
    throw new Error(`the container ${container} is not running, or not on the network ${network}`);
  }
  return address;
}

function reason(error: unknown): string {
  if (!(error instanceof ExecaError)) {
    return String(error);
  }
  if (error.timedOut) {
    return `not done within its time limit`;
  }
  if (error.code === "ENOENT") {
    return "there is no docker command: install Docker (`kindows doctor` says how)";
  }
  const text = String(error.stderr ?? "").trim();
  return text === "" ? error.shortMessage : text.split("\n").slice(-5).join(" ");
}
