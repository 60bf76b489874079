/**
 * A real Windows Server 2025, from Microsoft's evaluation ISO to a node and back: `make e2e-windows`. Needs KVM, and that
 * the evaluation's terms are accepted (guards.ts). Its parts build on each other, so the first that fails ends the run.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { parse, stringify } from "yaml";

import { messageOf } from "../../host/failure.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { gatherKvm } from "../../components/machine/libvirt/kvm.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { engineChanges, type Finished, succeeded, TestLab, virsh } from "../e2e/lab.ts";
import { termsAnswer, termsVariable } from "./guards.ts";
import { fatalKvmErrorsBelow } from "./kvm-failure.ts";
import { cacheRoot } from "../../toolchain/own-cache.ts";

const node = "win-1";
const lab = new TestLab("e2e-windows");
const minute = 60_000;

/** Logs of QEMU: libvirt's machines, and the machine that an image is built on. */
const qemuLogs = ["/var/log/libvirt/qemu", path.join(cacheRoot(), "logs")];

/** The settings of dev-2025, with the terms accepted. The file of dev-2025 stays as it is. */
async function configure(): Promise<void> {
  const text = await readFile(path.join(projectRoot, "Pulumi.dev-2025.yaml"), "utf8");
  const file = parse(text) as { config: { "kindows:windows": { image: object } } };
  Object.assign(file.config["kindows:windows"].image, { acceptLicence: true });
  await writeFile(lab.stackFile, stringify(file));
}

let retried = false;

/** Runs a command, and once more if KVM has failed meanwhile, the first time that happens. */
async function despiteKvm(...args: string[]): Promise<Finished> {
  const before = fatalKvmErrorsBelow(qemuLogs).length;
  const finished = await lab.kindows(...args);
  const errors = fatalKvmErrorsBelow(qemuLogs).slice(before);
  if (finished.exitCode === 0 || errors.length === 0 || retried) return finished;
  retried = true;
  console.log(`      KVM failed (${errors.join("; ")}): \`${args.join(" ")}\` runs once more`);
  for (const domain of await domains()) await virsh("destroy", domain);
  return lab.kindows(...args);
}

async function domains(): Promise<string[]> {
  const all = (await virsh("list", "--name", "--state-running", "--state-paused")).split("\n");
  return all.filter((name) => name.startsWith(`${lab.prefix}-`));
}

/** A picture of each machine's screen, for people. While an image is built, its builder takes them. */
async function photograph(): Promise<void> {
  const folder = path.join(lab.logFolder, "screens");
  mkdirSync(folder, { recursive: true });
  const time = new Date().toISOString().slice(11, 19).replaceAll(":", "");
  for (const domain of await domains()) {
    await virsh("screenshot", domain, path.join(folder, `${domain}-${time}.png`));
  }
}

const bootId = async (): Promise<unknown> => {
  const { nodeInfo } = ((await lab.node(node))?.status ?? {}) as { nodeInfo?: { bootID?: string } };
  return nodeInfo?.bootID;
};

describe("a real Windows Server 2025", function () {
  this.bail(true);
  // Commands have their own limits, and the job has one.
  this.timeout(180 * minute);
  let camera: NodeJS.Timeout | undefined;

  before(async () => {
    const { run, lines } = termsAnswer(process.env[termsVariable]);
    assert.ok(run, lines.join(" "));
    await configure();
    camera = setInterval(() => void photograph().catch(() => undefined), minute);
  });

  after(async () => {
    clearInterval(camera);
    // After `down` nothing is left that could be asked. Everything that went wrong is in the log folder.
    await lab.kindows("logs");
    await lab.kindows("doctor");
    await lab.removeSettings();
  });

  it("has a host that runs guests", async () => {
    await ensureHostPackages(["qemu-system-x86"], (line) => console.log(`      ${line}`));
    assert.equal(await gatherKvm("kvm"), "works");
  });

  it("is downloaded", () => succeeded(lab.kindows("fetch"), "fetch"));

  it("becomes an image", () => succeeded(despiteKvm("disk", "build", "--yes"), "disk build"));

  it("becomes a node", () => succeeded(despiteKvm("up", "--yes"), "up"));

  it("carries packets on every path", () => succeeded(lab.kindows("verify"), "verify"));

  it("is not changed by a second up", async () => {
    const { output } = await succeeded(lab.kindows("up", "--yes"), "second up");
    assert.deepEqual(engineChanges(output), []);
  });

  it("comes back from a reboot", async () => {
    const before = await bootId();
    assert.ok(before);
    await lab.onMachine(node, "shutdown.exe /r /t 5").catch((error: unknown) => {
      console.log(`      the connection ended: ${messageOf(error)}`);
    });
    const what = `${node} to report another boot`;
    await waitUntil({ what, timeoutSeconds: 1200, pollMilliseconds: 5000 }, async () => {
      const now = await bootId().catch(() => before);
      return now === before ? "still the boot before" : undefined;
    });
    await lab.untilReady([lab.controlPlane, node]);
    await succeeded(lab.kindows("verify"), "verify after the reboot");
  });

  it("is found healthy by the doctor", () => succeeded(lab.kindows("doctor"), "doctor"));

  it("is removed, and leaves nothing", async () => {
    await succeeded(lab.kindows("down"), "down");
    const machines = (await virsh("list", "--all", "--name")).split("\n");
    assert.deepEqual(
      machines.filter((name) => name.startsWith(lab.prefix)),
      [],
    );
    const containers = await execa("docker", ["ps", "--all", "--format", "{{.Names}}"]);
    assert.ok(!containers.stdout.includes(lab.prefix), containers.stdout);
  });
});
