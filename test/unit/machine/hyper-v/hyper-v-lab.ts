import { writeFileSync } from "node:fs";
import { generateEd25519 } from "../../../../ssh/generate-ed25519.ts";
import {
  type HyperVSession,
  onHyperVHost,
} from "../../../../components/machine/hyper-v/host-session.ts";
import { identityDisc } from "../../../../components/machine/hyper-v/identity-disc.ts";
import { makeMachine } from "../../../../components/machine/hyper-v/make-machine.ts";
import type {
  HyperVHostParameter,
  HyperVMachineParameter,
} from "../../../../components/machine/hyper-v/parameters.ts";
import type { FaultSetting } from "../../../../rehearsal/host/faults.ts";
import {
  type HyperVModel,
  type HyperVSetting,
  loadHyperV,
  saveHyperV,
} from "../../../../rehearsal/host/hyper-v/hyper-v-model.ts";
import { type RehearsalHost, startRehearsalHost } from "../../../../rehearsal/host/in-process.ts";
import { inNewFolder } from "../../new-folder.ts";

export const folder = "C:\\vms";
const baseDisk = "C:\\images\\server2022.vhdx";
const key = generateEd25519();

/** A host that can run machines of generation 2. */
export const goodHyperV: HyperVSetting = {
  switches: [
    { name: "Default Switch", type: "Internal" },
    { name: "Lab", type: "External" },
  ],
  disks: { [baseDisk]: { format: "VHDX", sizeGiB: 40, bootsWith: 2 } },
  leases: { "525400ABCDEF": "192.168.150.10" },
};

/** A machine that fits it. */
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
export interface HyperVLab {
  readonly windows: RehearsalHost;
  readonly host: HyperVHostParameter;
  /** Makes a machine as its action does, with little patience; its id. */
  make(changes?: Partial<HyperVMachineParameter>): Promise<string>;
  run<T>(work: (session: HyperVSession) => Promise<T>): Promise<T>;
  model(): Promise<HyperVModel>;
  change(changes: Partial<HyperVSetting>): Promise<void>;
  stop(): Promise<void>;
}

/** @param setting of Hyper-V; undefined: the host has none. */
export async function startHyperVLab(
  setting: HyperVSetting | undefined = goodHyperV,
  faults: readonly FaultSetting[] = [],
  freeDiskGiB = 60,
): Promise<HyperVLab> {
  const windows = await startRehearsalHost({
    hostName: "hv-1",
    authorizedKeys: [key.public],
    faults,
    hardware: { memoryMiB: 65_536, freeDiskGiB: () => Promise.resolve(freeDiskGiB) },
  });
  if (setting !== undefined) await saveHyperV(windows.windows, setting);
  const privateKeyFile = inNewFolder()("key");
  writeFileSync(privateKeyFile, key.private, { mode: 0o600 });
  const host: HyperVHostParameter = {
    name: "rack-3",
    address: "127.0.0.1",
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
  const run: HyperVLab["run"] = (work) => onHyperVHost(host, 600, work);
  const model = async (): Promise<HyperVModel> => {
    const found = await loadHyperV(windows.windows);
    if (found === undefined) throw new Error("the host has no Hyper-V");
    return found;
  };
  return {
    windows,
    host,
    run,
    model,
    make: (changes = {}) =>
      run((session) =>
        makeMachine(
          session,
          { ...goodMachine, ...changes },
          identity,
          { seconds: 0.2, pauseSeconds: 0.05 },
          () => undefined,
        ),
      ),
    change: async (changes) => saveHyperV(windows.windows, { ...(await model()), ...changes }),
    stop: () => windows.stop(),
  };
}
