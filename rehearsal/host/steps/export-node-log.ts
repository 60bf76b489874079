import { mkdtemp, open, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "tar";
import type { StepContext, StepOutcome } from "../step.ts";
import type { WindowsHost } from "../windows-host.ts";

/** Folders whose files lib/LogFiles.ps1 takes, and single files. */
const logFolders = [
  "C:\\var\\log",
  "C:\\etc\\cni\\net.d",
  "C:\\etc\\kube-flannel",
  "C:\\kindows\\state",
];
const logFiles = [
  "C:\\Program Files\\containerd\\config.toml",
  "C:\\var\\lib\\kubelet\\config.yaml",
  "C:\\var\\lib\\kubelet\\kubeadm-flags.env",
  "C:\\Windows\\System32\\drivers\\etc\\hosts",
];

/** The same secrets as lib/LogFiles.ps1 hides. */
export function hideSecrets(text: string): string {
  return text
    .replace(
      /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g,
      "[redacted]",
    )
    .replace(/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, "[redacted]")
    .replace(
      /(client-key-data|bearer|password|authorization)(["\\:=\s]+)[^\s",]+/gi,
      "$1$2[redacted]",
    )
    .replace(/:\/\/[^/@\s]+@/g, "://[redacted]@");
}

/** Packs the ends of the log files on the drive, and what the model knows of its Windows, into the output. */
export async function exportNodeLog(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  host.drive.assertRoom();
  const tailBytes = parameters.integer("TailKiB") * 1024;
  const folder = await mkdtemp(join(tmpdir(), "kindows-node-log-"));
  try {
    let files = 0;
    const put = async (name: string, text: string): Promise<void> => {
      await writeFile(join(folder, name), hideSecrets(text), { mode: 0o600 });
      files++;
    };
    for (const path of await presentLogs(host)) {
      const linux = await host.drive.resolve(path);
      await put(path.slice(3).replace(/[\\/:]/g, "_"), await tail(linux, tailBytes));
    }
    for (const [name, text] of await answers(host)) await put(name, text);
    await context.checkpoint();
    const archive = join(folder, "..", `${folder.split("/").at(-1) ?? ""}.tar.gz`);
    try {
      await create({ file: archive, cwd: folder, gzip: true, portable: true }, ["."]);
      const bytes = await readFile(archive);
      for (let start = 0; start < bytes.length; start += 49_152) {
        context.output(bytes.subarray(start, start + 49_152).toString("base64"));
      }
      return { changed: false, facts: { files, bytes: bytes.length } };
    } finally {
      await rm(archive, { force: true });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function presentLogs({ drive }: WindowsHost): Promise<string[]> {
  const found: string[] = [];
  const below = async (folder: string): Promise<void> => {
    if (!(await drive.isFolder(folder))) return;
    for (const entry of await readdir(await drive.resolve(folder), { withFileTypes: true })) {
      const path = `${folder}\\${entry.name}`;
      if (entry.isDirectory()) await below(path);
      else if (!entry.name.startsWith("join-configuration")) found.push(path);
    }
  };
  for (const folder of logFolders) await below(folder);
  for (const file of logFiles) if (await drive.isFile(file)) found.push(file);
  return found.slice(0, 200);
}

async function tail(path: string, bytes: number): Promise<string> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const length = Math.min(size, bytes);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString("utf8");
  } finally {
    await file.close();
  }
}

/** What the model can say where the script asks Windows. */
async function answers(host: WindowsHost): Promise<readonly (readonly [string, string])[]> {
  const services = await Promise.all(
    host.services.names().map(async (name) => ({
      name,
      ...host.services.get(name),
      running: await host.services.isRunning(name),
    })),
  );
  const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;
  return [
    ["os.txt", `rehearsal host ${host.computerName}, booted ${host.lastBootUpTime}\n`],
    ["services.txt", json(services)],
    ["environment.txt", json(host.settings.environment)],
    ["defender.txt", json(host.settings.defenderExclusions)],
    ["hns-networks.json", json(host.settings.networks())],
  ];
}
