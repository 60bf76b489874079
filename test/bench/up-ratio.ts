import { readState } from "../../cli/engine/states.ts";
import { answers } from "../e2e-full/outside/ssh-daemon.ts";
import { stepResultsOf } from "../e2e/lab.ts";
import { benchLab, configureNodes, kindows, benchPrefix, inEngineShell } from "./bench-lab.ts";
import { printFigure, timed, type Ratio } from "./report.ts";
import path from "node:path";
import { execa } from "execa";
import { addressPlan } from "../../config/address-plan.ts";
import { nodeImage } from "../../stacks/node-image.ts";
import { stackSettings } from "../../cli/stack-settings.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import { domainName } from "../../config/names.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { seenProcess } from "../../cli/recovery/locks.ts";

/**
 * `up` of a lab with one node, from nothing, over its lower bound: the longer of a kind cluster alone and a machine's
 * power-on to SSH alone, plus what the steps on the machine took by themselves.
 *
 * Measured with the baked image and with the bare one. The lower bound of the bare one includes a second boot, which
 * the feature Containers requires and which no step's own time includes. Leaves the lab with the baked image up.
 *
 * @returns the ratio of the baked image first; its `measured` is the time of `up`.
 */
export async function upRatios(): Promise<readonly [Ratio, Ratio]> {
  await configureNodes(1);
  await kindows("down");
  const kind = await kindAlone();
  await kindows("down");
  const bare = await upRatio("bare", kind);
  const baked = await upRatio("baked", kind);
  return [baked, bare];
}

async function upRatio(image: "bare" | "baked", kind: number): Promise<Ratio> {
  await configureNodes(1, image);
  await kindows("prepare");
  const machine = await machineAlone();
  await kindows("down");
  const measured = await timed(`up from nothing, one node, ${image} image`, () => kindows("up"));
  const boots = image === "bare" ? 2 : 1;
  const steps = await stepsTogether();
  const base = Math.max(kind, machine) + (boots - 1) * machine + steps;
  printFigure("lower bound: max(kind, machine) + steps", base);
  if (image === "bare") await kindows("down");
  const what = `up / lower bound${image === "bare" ? ", bare image, with its reboot" : ""}`;
  return { what, measured, base, aim: "at most 1.3" };
}

/** Sum of the times of the machine's steps. */
async function stepsTogether(): Promise<number> {
  const state = await readState(benchLab.stack);
  const steps = state === undefined ? undefined : stepResultsOf("win-1", state);
  if (steps?.has("Join-Node") !== true) {
    throw new Error("the state holds no result of the step Join-Node: was win-1 joined?");
  }
  for (const { step, seconds } of steps.values()) {
    printFigure(`  step ${step}`, seconds);
  }
  return [...steps.values()].reduce((sum, { seconds }) => sum + seconds, 0);
}

const action = path.join("components", "controlplane", "actions", "create-kind-cluster.ts");

/** Seconds to create only the lab's kind cluster, on a plain Docker network; `kindows down` removes it. */
async function kindAlone(): Promise<number> {
  const settings = await stackSettings(benchLab.stack);
  const { cni } = settings;
  const { controlPlanes, podCidr, serviceCidr } = settings.cluster;
  const { cidr, gateway, containerRange } = addressPlan(settings.network.cidr);
  await execa("docker", [
    ...["network", "create", "--subnet", cidr, "--gateway", gateway],
    ...["--ip-range", containerRange, benchPrefix],
  ]);
  const cluster = {
    name: benchPrefix,
    network: benchPrefix,
    image: nodeImage(settings),
    controlPlanes,
    podCidr,
    serviceCidr,
    defaultCni: cni.kind === "kind-default",
    ...(cni.kind !== "kind-default" && { cni: cni.kind }),
  };
  return timed("kind cluster alone", () =>
    execa(process.execPath, ["--import", "tsx", action], {
      cwd: projectRoot,
      env: { CLUSTER: JSON.stringify(cluster) },
      stdin: "ignore",
    }),
  );
}

/** Longest wait for a machine's SSH server, in seconds: an emulated one on a busy host. */
const sshTimeoutSeconds = 600;

/** Seconds from power-on to the SSH server's banner, with nothing else running. */
async function machineAlone(): Promise<number> {
  const settings = await stackSettings(benchLab.stack);
  const [node] = settings.nodes;
  if (node === undefined) throw new Error("the lab that is measured has no Windows node");
  const folder = await projectFolder();
  const pulumi = `pulumi --cwd ${folder} --non-interactive --stack ${benchLab.stack}`;
  // A separate state, because this machine is not part of the lab's stack.
  const useState = `export PULUMI_BACKEND_URL=file://${folder}/state`;
  const given = new AbortController();
  let seconds: number;
  try {
    const [answered] = await Promise.all([
      sshBanner(node.address, given.signal),
      inEngineShell(`${useState} && ${pulumi} stack init && ${pulumi} up --yes --skip-preview`),
    ]).finally(() => given.abort());
    const started = await powerOn(domainName(settings.lab.name, node.name));
    seconds = (answered.getTime() - started.getTime()) / 1000;
    await inEngineShell(`${useState} && ${pulumi} destroy --yes --skip-preview`);
  } finally {
    await rm(folder, { recursive: true });
  }
  printFigure("power-on to SSH alone", seconds);
  return seconds;
}

/** A project whose program is `machine-program.ts`, with links to the folders that host actions read scripts from. */
async function projectFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-machine-"));
  await mkdir(path.join(folder, "state"));
  const folders = ["node_modules", "components", "config", "host", "offline", "toolchain"];
  for (const shared of [...folders, "package.json"]) {
    await symlink(path.join(projectRoot, shared), path.join(folder, shared));
  }
  await copyFile(benchLab.stackFile, path.join(folder, path.basename(benchLab.stackFile)));
  await writeFile(
    path.join(folder, "Pulumi.yaml"),
    'name: kindows\nruntime: {name: nodejs, options: {typescript: false, nodeargs: "--import tsx"}}\nmain: index.ts\n',
  );
  // The engine runs a program in its own folder, so index.ts has to be in this one.
  const program = path.join(projectRoot, "test/bench", "machine-program.ts");
  await writeFile(path.join(folder, "index.ts"), `export * from ${JSON.stringify(program)};\n`);
  return folder;
}

/** When a running machine's QEMU process started. */
async function powerOn(domain: string): Promise<Date> {
  const pid = Number(await readFile(`/run/libvirt/qemu/${domain}.pid`, "utf8"));
  const found = await seenProcess(pid);
  if (found === undefined) throw new Error(`the machine ${domain} does not run (process ${pid})`);
  return found.startedAt;
}

/** Waits until an SSH server sends its version. */
function sshBanner(address: string, signal: AbortSignal): Promise<Date> {
  const what = `an SSH server at ${address}`;
  const options = { what, timeoutSeconds: sshTimeoutSeconds, pollMilliseconds: 100, signal };
  return waitUntil(options, async () =>
    (await answers(address, 22)) ? { found: new Date() } : "no answer",
  );
}
