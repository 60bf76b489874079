import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { WinePrograms, endedUnderWine } from "../../rehearsal/guest/wine-programs.ts";
import type { ProgramResult, RunOptions } from "../../rehearsal/host/programs.ts";
import type { WineClock } from "./wine-clock.ts";
import type { WineRoot } from "./wine-root.ts";

/** The Windows programs of a tested machine: as in the guest, but for its clock and for what Wine loses. */
export class TestWine extends WinePrograms {
  /** Whether the API server's answers say what time it is; a machine that is not told leaves its clock as it is. */
  isTimeTold = true;
  readonly #clock: WineClock;

  constructor({ driveC, hostsFile, start, clock }: WineRoot) {
    super({
      driveC,
      hostsFile,
      start,
      bootTime: new Date(),
      routesFile: "/nonexistent",
      routesScript: "/nonexistent",
      rebootScript: "/nonexistent",
    });
    this.#clock = clock;
  }

  /**
   * A program is started once more when it failed without a word: Wine has lost one like that, once in some thousand
   * starts, which proves nothing. One that refuses what it is given says why, and does so again.
   */
  override async run(
    exe: string,
    args: readonly string[],
    options: RunOptions,
  ): Promise<ProgramResult> {
    const result = await super.run(exe, args, options);
    const { exitCode, stdout, stderr } = result;
    const silent = stdout === "" && stderr === "";
    if (exitCode === 0 || !(silent || stderr.includes(endedUnderWine))) return result;
    process.stderr.write(`${exe} failed without a word (${stderr || exitCode}): once more\n`);
    return super.run(exe, args, options);
  }

  /** Runs one of Wine's own programs. */
  runOwn(fileName: string, args: readonly string[]): Promise<ProgramResult> {
    return this.runToEnd(`C:\\windows\\system32\\${fileName}`, args, { timeoutSeconds: 60 });
  }

  /** This host has tar and no busybox. */
  override async unpack(archive: string, folder: string, strip = 0): Promise<void> {
    const strips = `--strip-components=${strip}`;
    await promisify(execFile)("tar", ["-xf", archive, "-C", folder, strips]);
  }

  override flush(): Promise<void> {
    return Promise.resolve();
  }

  /** The routes of this host are nobody's here. */
  override setRoutes(): Promise<void> {
    return Promise.resolve();
  }

  override now(): Date {
    return this.#clock.now();
  }

  override setClock(time: Date): Promise<void> {
    return this.#clock.set(time);
  }

  override async serverTime(
    host: string,
    port: number,
    timeoutSeconds: number,
  ): Promise<Date | undefined> {
    return this.isTimeTold ? super.serverTime(host, port, timeoutSeconds) : undefined;
  }
}
