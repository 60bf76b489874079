import { quoteForCmd, stepCommand } from "./step-command.ts";
import { resetSeconds } from "./step-timeouts.ts";

/** Where containerd serves, as the step Install-Containerd registers it. */
export const criSocket = "npipe:////./pipe/containerd-containerd";

/**
 * Command that makes a machine what it was before it became a node; nothing happens on one where the scripts are gone,
 * since then so is the rest: somebody has set the machine up anew.
 *
 * @param folder folder of Reset-Node on the machine.
 */
export function resetCommand(folder: string): string {
  const command = stepCommand(folder, "Reset-Node", {
    CriSocket: criSocket,
    TimeoutSeconds: resetSeconds,
  });
  return `if exist ${quoteForCmd(`${folder}\\Reset-Node.ps1`)} ${command}`;
}
