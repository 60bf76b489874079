import type { StepContext } from "../step.ts";
import { installArchivedProgram } from "./archived-program.ts";

/** What lib/Crictl.ps1 writes beside the program: the same text. */
export const crictlConfig = [
  "runtime-endpoint: npipe:////./pipe/containerd-containerd",
  "image-endpoint: npipe:////./pipe/containerd-containerd",
  "timeout: 30",
  "",
].join("\n");

/** Whether there is a crictl, and whether that is news. */
export interface CrictlState {
  readonly state: "none" | "installed" | "media";
  readonly changed: boolean;
}

/** Puts crictl.exe and its configuration into a folder; takes both away where no archive is given. */
export async function installCrictl(context: StepContext, folder: string): Promise<CrictlState> {
  const { parameters } = context;
  const { drive } = context.host;
  const program = `${folder}\\crictl.exe`;
  const configPath = `${folder}\\crictl.yaml`;
  const markPath = `${folder}\\crictl.sha256`;
  if (parameters.text("CrictlPath") === "" || parameters.text("CrictlSha256") === "") {
    let changed = false;
    for (const path of [markPath, configPath, program]) {
      if (await drive.remove(path)) changed = true;
    }
    return { state: "none", changed };
  }

  const state = await installArchivedProgram(context, {
    parameter: "Crictl",
    folder,
    name: "crictl",
    files: { "crictl.exe": "crictl.exe" },
  });
  const isConfigured = (await drive.readText(configPath)) === crictlConfig;
  if (!isConfigured) await drive.write(configPath, crictlConfig);
  return { state, changed: state === "media" || !isConfigured };
}
