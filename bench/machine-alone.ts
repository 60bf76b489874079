import { readFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { domainName } from "../config/names.ts";
import { seenProcess } from "../cli/recovery/seen-process.ts";
import { stackSettings } from "../cli/stack-settings.ts";
import { projectRoot } from "../toolchain/project.ts";
import { benchLab, inEngineShell } from "./bench-lab.ts";
import { printFigure } from "./report.ts";

/** Longest wait for a machine's SSH server, in seconds: an emulated one on a busy host. */
const sshTimeoutSeconds = 600;

const program = path.join(projectRoot, "bench", "machine-alone");

/** Seconds from power-on to the first word of the SSH server, with nothing beside it. */
export async function machineAlone(): Promise<number> {
  const settings = await stackSettings(benchLab.stack);
  const [node] = settings.nodes;
  if (node === undefined) {
    throw new Error("the lab that is measured has no Windows node");
  }
  // A state of its own: the lab's stack knows nothing of this machine.
  const pulumi = `pulumi --cwd ${program} --non-interactive --stack ${benchLab.stack}`;
  const state = path.join(benchLab.logFolder, "machine-alone-state");
  const useState = `mkdir -p ${state} && export PULUMI_BACKEND_URL=file://${state}`;
  const banner = sshBanner(node.address);
  await inEngineShell(
    `${useState} && (${pulumi} stack init || true) && ${pulumi} up --yes --skip-preview`,
  );
  const answered = await banner;
  const started = await powerOn(domainName(settings.lab.name, node.name));
  await inEngineShell(
    `${useState} && ${pulumi} destroy --yes --skip-preview && ${pulumi} stack rm --yes ${benchLab.stack}`,
  );
  const seconds = (answered.getTime() - started.getTime()) / 1000;
  printFigure({ what: "power-on to SSH alone", seconds });
  return seconds;
}

/** Start of a running machine: of its QEMU process. */
async function powerOn(domain: string): Promise<Date> {
  const pid = Number(await readFile(`/run/libvirt/qemu/${domain}.pid`, "utf8"));
  const found = await seenProcess(pid);
  if (found === undefined) {
    throw new Error(`the machine ${domain} does not run (process ${pid})`);
  }
  return found.startedAt;
}

/** Waits until an SSH server says its version. */
async function sshBanner(address: string): Promise<Date> {
  const deadline = Date.now() + sshTimeoutSeconds * 1000;
  while (Date.now() < deadline) {
    if (await hasBanner(address)) {
      return new Date();
    }
    await sleep(100);
  }
  throw new Error(`no SSH server answered at ${address} within ${sshTimeoutSeconds} s`);
}

function hasBanner(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: address, port: 22, timeout: 1000 });
    const end = (found: boolean): void => {
      socket.destroy();
      resolve(found);
    };
    socket.once("data", (chunk) => end(chunk.toString("latin1").startsWith("SSH-")));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
    socket.once("close", () => end(false));
  });
}
