import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { resourceName } from "../../components/urn.ts";
import { projectName, stackFolder } from "../engine/folders.ts";
import type { ResourceKind } from "../../components/host-resource.ts";
import type { LabOutputs } from "./lab-outputs.ts";
import { knownHosts, sshConfig } from "./openssh-settings.ts";

export interface AccessFiles {
  readonly kubeconfig: string;
  readonly sshKey: string;
  readonly knownHosts: string;
  /** How OpenSSH reaches each machine by its node's name: `ssh -F FILE win-1`. */
  readonly sshConfig: string;
}

export function accessFiles(stack: string): AccessFiles {
  const folder = stackFolder(stack);
  return {
    kubeconfig: path.join(folder, "kubeconfig"),
    sshKey: path.join(folder, "id_ed25519"),
    knownHosts: path.join(folder, "known_hosts"),
    sshConfig: path.join(folder, "ssh_config"),
  };
}

/** Writes kubeconfig, SSH key, pinned host keys and ssh's settings, readable by the user only. */
export async function writeAccessFiles(stack: string, outputs: LabOutputs): Promise<AccessFiles> {
  const files = accessFiles(stack);
  await mkdir(stackFolder(stack), { recursive: true, mode: 0o700 });
  for (const [file, content] of [
    [files.kubeconfig, outputs.kubeconfig],
    [files.sshKey, `${outputs.sshPrivateKey.trimEnd()}\n`],
    [files.knownHosts, knownHosts(outputs.nodes)],
    [files.sshConfig, sshConfig(outputs.nodes, files)],
  ] as const) {
    // A new file each time, as an existing one would keep its mode.
    await rm(file, { force: true });
    await writeFile(file, content, { mode: 0o600, flag: "wx" });
  }
  return files;
}

/** The access files that exist. They can be removed, because the stack's state has their content. */
export const labFiles: ResourceKind = {
  kind: "file",

  find: async ({ of }) => {
    if (of === undefined) return [];
    const present = await readdir(stackFolder(of.stack)).catch(() => [] as string[]);
    return (Object.values(accessFiles(of.stack)) as string[])
      .filter((file) => present.includes(path.basename(file)))
      .map((name) => ({
        kind: labFiles.kind,
        name,
        lab: of.lab,
        isOurs: true,
        identity: `files of ${projectName}-${of.stack}`,
      }));
  },

  remove: ({ name }) => rm(name, { force: true }),

  byHand: ({ name }) => `rm ${name}`,

  // The files are owned as long as the stack has anything in its state.
  owned: {
    "pulumi:pulumi:Stack": ({ urn }) => [
      { identity: `files of ${resourceName(urn)}`, essential: false },
    ],
  },
};
