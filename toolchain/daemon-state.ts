import { joinCommand } from "./host-packages.ts";
import { runProgram } from "../host/run-program.ts";

/** A daemon that answers, or why it does not (last line of its client's output). */
export type DaemonState =
  { readonly kind: "running" } | { readonly kind: "denied" | "silent"; readonly reason: string };

const askTimeoutSeconds = 10;

/** Asks the Docker daemon that the `docker` client uses, wherever that is. */
export async function dockerState(): Promise<DaemonState> {
  return ask("docker", ["version", "--format", "{{.Server.Version}}"], "docker");
}

/** @param uri libvirt's connection URI, e.g. `qemu:///system`. */
export async function libvirtState(uri: string): Promise<DaemonState> {
  return ask("virsh", ["--connect", uri, "uri"], "libvirt");
}

async function ask(
  client: string,
  args: readonly string[],
  group: "docker" | "libvirt",
): Promise<DaemonState> {
  const { how, stderr, reason } = await runProgram(client, args, askTimeoutSeconds);
  if (how === "well") return { kind: "running" };
  return how === "badly" ? classifyRefusal(stderr, group) : { kind: "silent", reason };
}

export function classifyRefusal(stderr: string, group: "docker" | "libvirt"): DaemonState {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const denied = lines.find((line) =>
    /permission denied|authentication (failed|unavailable)/i.test(line),
  );
  if (denied !== undefined) {
    return {
      kind: "denied",
      reason: `${denied.trim()} (run this as root, or join its group and log in again: ${joinCommand(group)})`,
    };
  }
  return { kind: "silent", reason: lines.at(-1)?.trim() ?? "it failed without a message" };
}
