import { readFile, writeFile } from "node:fs/promises";
import { uptime } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Drive } from "../machine/drive.ts";
import { startMachine } from "../machine/start-machine.ts";
import { servePowerShell } from "../machine/serve-powershell.ts";
import { loadState, statePath } from "../machine/state.ts";
import { serveHns } from "../windows/hns/serve.ts";
import { readKeptScripts } from "../windows/kept-scripts.ts";
import { WinePrograms } from "./wine-programs.ts";
import * as z from "zod";

/** Seconds between attempts to start, e.g. if there is no identity disk. */
const retrySeconds = 10;

/** Names the kernel's clock source: "tsc", or another one if the kernel found the TSC unreliable. */
const clockSourceFile = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

/** Writes a line to the serial console, which `virsh console` shows. */
function log(line: string): void {
  console.log(`rehearsal guest: ${uptime().toFixed(1)} s: ${line}`);
}

async function main(): Promise<void> {
  const identity = parseIdentity(await readFile("/run/identity/user-data", "utf8"));
  const programs = new WinePrograms({ bootTime: await readBootTime() });
  const { driveC, bootTime } = programs;
  const drive = new Drive(driveC);
  const isFirstBoot = !(await drive.isFile(statePath));
  const { computerName = identity.computerName } = await loadState(drive, bootTime);
  await writeFile("/proc/sys/kernel/hostname", computerName);
  // Keeps the process alive while sshd is stopped. Otherwise it would end, and init would start another one with sshd.
  setInterval(() => undefined, 24 * 3_600_000);
  readKeptScripts(driveC);
  const machine = await startMachine({ programs, identity, port: 22, log });
  await serveHns(machine.windows.hns, log);
  await servePowerShell(machine.windows, log);
  log(`time by ${(await readFile(clockSourceFile, "utf8")).trim()}`);

  // Wine's first start takes seconds of an emulated CPU. A machine fresh from its image reboots before it needs Wine.
  if (!isFirstBoot) {
    const started = Date.now();
    await programs.warmUp();
    log(`Wine is up after ${((Date.now() - started) / 1000).toFixed(1)} s`);
  }
  await machine.servicesStarted;
}

main().catch(async (error: unknown) => {
  log(`can't serve: ${error instanceof Error ? error.message : String(error)}`);
  // busybox init starts this program again at once.
  await sleep(retrySeconds * 1000);
  process.exit(1);
});

/** The boot time, to the second. Linux derives it from the current clock, so the first value is kept until a reboot. */
async function readBootTime(): Promise<Date> {
  const record = "/run/boot-time";
  const kept = await readFile(record, "utf8").catch(() => undefined);
  if (kept !== undefined) return new Date(kept);
  const seconds = /^btime (\d+)$/m.exec(await readFile("/proc/stat", "utf8"))?.[1];
  if (seconds === undefined) throw new Error("/proc/stat has no btime");
  const bootTime = new Date(Number(seconds) * 1000);
  await writeFile(record, bootTime.toISOString());
  return bootTime;
}

/** Content of the identity disk, written by components/machine/identity.ts. */
const userDataSchema = z
  .object({
    hostname: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$/i),
    ssh_keys: z.object({ ed25519_private: z.string().min(1) }),
    ssh_authorized_keys: z.array(z.string()).min(1),
  })
  .transform(({ hostname, ssh_keys, ssh_authorized_keys }) => ({
    computerName: hostname,
    hostPrivateKey: ssh_keys.ed25519_private,
    authorizedKeys: ssh_authorized_keys,
  }));

/** @throws an error that names the problem without quoting secrets. */
function parseIdentity(userData: string): z.infer<typeof userDataSchema> {
  const [firstLine, ...rest] = userData.split("\n");
  if (firstLine?.trim() !== "#cloud-config") {
    throw new Error("the identity disk's user-data does not begin with #cloud-config");
  }
  let document: unknown;
  try {
    document = JSON.parse(rest.join("\n"));
  } catch {
    // The parser's message quotes the text, including keys.
    throw new Error("the identity disk's user-data is not JSON after its first line");
  }
  const checked = userDataSchema.safeParse(document);
  if (checked.success) return checked.data;
  const places = checked.error.issues.map((issue) => issue.path.join(".") || "(whole)");
  throw new Error(
    `the identity disk's user-data has missing or wrong fields: ${places.join(", ")}`,
  );
}
