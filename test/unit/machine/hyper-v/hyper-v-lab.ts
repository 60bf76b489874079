import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import type * as z from "zod";
import { generateEd25519 } from "../../../../host/ssh/generate-ed25519.ts";
import {
  type HyperVSession,
  onHyperVHost,
} from "../../../../components/machine/hyper-v/host-session.ts";
import { identityDisc, makeMachine } from "../../../../components/machine/hyper-v/make-machine.ts";
import type {
  HyperVHostParameter,
  HyperVMachineParameter,
} from "../../../../components/machine/hyper-v/parameters.ts";
import type { FaultSetting } from "../../../../rehearsal/machine/faults.ts";
import {
  type RehearsedMachine,
  startRehearsedMachine,
} from "../../../rehearsed-machine/in-process.ts";
import { diskSchema, type HyperV, hyperVSchema } from "../../../../rehearsal/windows/hyper-v.ts";
import { inNewFolder } from "../../new-folder.ts";

export const folder = "C:\\vms";
export const baseDisk = "C:\\images\\server2022.vhdx";
const key = generateEd25519();

export type Disk = z.infer<typeof diskSchema>;

/** Hyper-V of a host, the disk that machines start from, and what else the host has. */
export interface LabSetting extends Partial<z.input<typeof hyperVSchema>> {
  /** Undefined if there is none. */
  readonly image?: Disk | undefined;
  readonly memoryMiB?: number;
  readonly freeDiskGiB?: number;
}

/** A host that can run machines of generation 2. */
const good: LabSetting = {
  switches: [
    { name: "Default Switch", type: "Internal" },
    { name: "Lab", type: "External" },
  ],
  image: { format: "VHDX", sizeGiB: 40, bootsWith: 2 },
  leases: { "525400ABCDEF": "192.168.150.10" },
};

/** A machine that fits the good host. */
export const goodMachine: HyperVMachineParameter = {
  name: "kindows-t-win-1",
  making: "0a".repeat(6),
  generation: 2,
  secureBoot: true,
  macAddress: "525400ABCDEF",
  address: "192.168.150.10",
  cpus: 4,
  memoryMiB: 4096,
  diskGiB: 60,
};

/** A model of a Hyper-V host in this process, reached over real SSH. */
export class HyperVLab {
  private constructor(
    readonly windows: RehearsedMachine,
    readonly host: HyperVHostParameter,
    private readonly identity: Buffer,
  ) {}

  /** @param setting differences from a good host. */
  static async start(
    setting: LabSetting = {},
    ...faults: readonly FaultSetting[]
  ): Promise<HyperVLab> {
    const { image, memoryMiB = 65_536, freeDiskGiB = 60, ...hyperV } = { ...good, ...setting };
    const windows = await startRehearsedMachine({
      hostName: "hv-1",
      authorizedKeys: [key.public],
      faults,
    });
    windows.programs.memoryMiB = memoryMiB;
    windows.programs.freeDiskGiB = () => Promise.resolve(freeDiskGiB);
    windows.windows.state.hyperV = hyperVSchema.parse(hyperV);
    await windows.windows.save();
    if (image) await windows.windows.drive.write(baseDisk, JSON.stringify(image));
    const privateKeyFile = inNewFolder()("key");
    writeFileSync(privateKeyFile, key.private, { mode: 0o600 });
    const host: HyperVHostParameter = {
      name: "rack-3",
      address: windows.address,
      port: windows.port,
      user: "Administrator",
      hostKey: windows.hostKey,
      privateKeyFile,
      switchName: "Lab",
      folder,
      baseDisk,
      lab: "kindows-t",
      owner: "0f".repeat(6),
    };
    const identity = await identityDisc({ userData: "#cloud-config\n{}\n", metaData: "{}\n" });
    return new HyperVLab(windows, host, identity);
  }

  run<T>(work: (session: HyperVSession) => Promise<T>): Promise<T> {
    return onHyperVHost(this.host, 600, work);
  }

  model(): HyperV {
    return this.windows.windows.state.hyperV ?? assert.fail("the host has no Hyper-V");
  }

  /** Creates a machine like its action, with short limits. @returns its id */
  make(changes: Partial<HyperVMachineParameter> = {}): Promise<string> {
    const machine = { ...goodMachine, ...changes };
    const wait = { seconds: 0.2, pauseSeconds: 0.05 };
    return this.run((session) =>
      makeMachine(session, machine, this.identity, wait, () => undefined),
    );
  }

  change(changes: Partial<HyperV>): void {
    Object.assign(this.model(), changes);
  }

  /** The disk at a path; undefined if there is none. */
  async disk(path: string): Promise<Disk | undefined> {
    const text = await this.windows.windows.drive.readText(path);
    return text === undefined ? undefined : diskSchema.parse(JSON.parse(text));
  }

  stop(): Promise<void> {
    return this.windows.stop();
  }
}
