/**
 * Programs that register themselves with the service manager. Wine's can't be the parent of a Go service, so what they
 * ask of it is done by the model.
 *
 * Source: https://github.com/containerd/containerd/blob/v2.1.0/cmd/containerd/command/service_windows.go.
 */
import { quoteArgument } from "../host/cmd/argv.ts";
import type { SystemProgram } from "./processes.ts";

/** What a program does that is told to register itself; undefined: this one is not. */
export function registration(exe: string, args: readonly string[]): SystemProgram | undefined {
  const flag = "--register-service";
  if (!exe.toLowerCase().endsWith("\\containerd.exe") || !args.includes(flag)) return undefined;
  return async ({ services }) => {
    if (services.get("containerd")) {
      const stderr = "containerd: The specified service already exists.\n";
      return { exitCode: 1, stdout: "", stderr };
    }
    const words = [exe, "--run-service", ...args.filter((word) => word !== flag)];
    await services.configure("containerd", {
      commandLine: words.map(quoteArgument).join(" "),
      displayName: "Containerd",
      description: "Container runtime",
      startType: "auto",
      dependsOn: [],
      // Twice in a day only, which is not modelled.
      restarts: true,
    });
    return { exitCode: 0, stdout: "", stderr: "" };
  };
}
