import type { FaultPoint, FaultSetting } from "../../../../../rehearsal/machine/faults.ts";
import type { RehearsedMachine } from "../../../../rehearsed-machine/in-process.ts";
import type { RecordingCluster } from "../../../../rehearsed-machine/fake-cluster.ts";
import { isCopy, placeOf, type Row, rows, unpacking } from "./rows.ts";

export interface TableFault {
  readonly name: string;
  /** What happens, for the page. */
  readonly what: string;
  /** Settings of the rehearsed machine that cause it in a row. `bytes` is the size of a copy. */
  readonly settings?: (row: Row, bytes: number) => FaultSetting[];
  /** State of the machine when the row begins. */
  readonly breakMachine?: (machine: RehearsedMachine) => Promise<void>;
  /** State of the cluster while the row runs. */
  readonly breakCluster?: (cluster: RecordingCluster) => void;
  readonly afterwards?: (machine: RehearsedMachine) => Promise<void>;
  /** Repair by a person, or by time, before the next `up`. Default: none is needed. */
  readonly mendCluster?: (cluster: RecordingCluster) => void;
  /** Rows in which it can occur. Default: all. */
  readonly rows?: readonly Row[];
  /** Why it cannot occur in the others, for the page. */
  readonly notElsewhere?: string;
}

type Point = Exclude<FaultPoint, number>;
const points: readonly Point[] = ["start", "middle", "end"];
const invalidHash = "none of the public keys pinned were found";
const noSignature =
  'could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"';
const mend = (cluster: RecordingCluster): void => {
  cluster.awaySeconds = 0;
  cluster.refusals = [];
};

/** Number of bytes after which a copy is hit. */
function bytesAt(at: Point, bytes: number): number {
  return { start: 0, middle: Math.floor(bytes / 2), end: bytes - 1 }[at];
}

/** A fault that occurs at one point of a step or, by bytes, of a copy. */
function strike(
  by: "connection" | "power" | "disk",
  at: Point,
  inStep: (step: string) => FaultSetting,
): NonNullable<TableFault["settings"]> {
  return (row, bytes) =>
    isCopy(row)
      ? [{ kind: "cutTransfer", by, afterBytes: bytesAt(at, bytes) }]
      : [inStep(placeOf(row))];
}

function clockOff(hours: number): NonNullable<TableFault["breakMachine"]> {
  return ({ programs }) =>
    programs.setClock(new Date(programs.now().getTime() + hours * 3_600_000));
}

const clockLater =
  "Join-Node sets it from the control plane's. On a joined node no step is affected, and the clock is left to Windows' " +
  "time service";

export const faults: readonly TableFault[] = [
  ...points.map((at) => ({
    name: `SSH drops, ${at}`,
    what: `the connection breaks at the ${at} of a step, which continues on the machine, or of a copy, which does not`,
    settings: strike("connection", at, (step) => ({ kind: "dropConnection", step, at })),
  })),
  {
    name: "SSH drops, in the result",
    what: "the connection breaks when everything is done and half of the line with the result has been sent; for `tar.exe`, before its exit status",
    rows: rows.filter((row) => !isCopy(row)),
    notElsewhere: "a copy has no line with a result, and its last answer is SFTP's",
    settings: (row: Row): FaultSetting[] =>
      isCopy(row) ? [] : [{ kind: "cutResult", step: placeOf(row) }],
  },
  ...points.map((at) => ({
    name: `reboot, ${at}`,
    what: `the machine loses power at the ${at} of copying or unpacking, and boots`,
    rows: rows.filter((row) => isCopy(row) || row === unpacking),
    notElsewhere: "for the steps see _power cut, before each change_",
    settings: strike("power", at, (step) => ({ kind: "reboot", step, at })),
  })),
  {
    name: "power cut, when it is done",
    what: "the machine loses power as soon as a copy or step has told its result, and boots",
    rows: rows.filter((row) => row !== "Add-ExternalNetwork"),
    notElsewhere:
      "Add-ExternalNetwork only starts a task, and Confirm-ExternalNetwork makes good what it did not come to",
    afterwards: async (machine: RehearsedMachine): Promise<void> => {
      await machine.up(); // if the step has ordered a reboot
      await machine.programs.reboot(0);
      await machine.up();
    },
  },
  ...(["start", "middle"] as const).map((at) => ({
    name: `disk full, ${at}`,
    what: `nothing can be written from the ${at} of the step or copy on; afterwards somebody frees space`,
    settings: strike("disk", at, (step) => ({ kind: "diskFull", step, at })),
  })),
  {
    name: "clock behind",
    what: `the machine's clock falls back by 7 hours at the start; ${clockLater}`,
    breakMachine: clockOff(-7),
  },
  {
    name: "clock ahead",
    what: "the same, 7 hours ahead",
    breakMachine: clockOff(7),
  },
  {
    name: "address lost",
    what: "HNS removes the machine's address in the middle of the step or copy, for 20 s",
    settings: (row, bytes) =>
      isCopy(row)
        ? [{ kind: "cutTransfer", by: "address", afterBytes: bytesAt("middle", bytes) }]
        : [{ kind: "loseAddress", step: placeOf(row), at: "middle", seconds: 20 }],
  },
  {
    name: "address gone",
    what: "HNS creates its switch on the adapter and the address does not come back; the machine reboots by itself",
    rows: ["Add-ExternalNetwork", "Confirm-ExternalNetwork"],
    notElsewhere:
      "nothing else creates a switch; when Reset-Node removes one, the adapter continues with the settings Windows kept for " +
      "it, as in _address lost_",
    settings: (): FaultSetting[] => [{ kind: "addressLost" }],
  },
  {
    name: "API unreachable, a minute",
    what: "the API server is unreachable from the start of the step, for 60 s",
    breakCluster: (cluster: RecordingCluster): void => {
      cluster.awaySeconds = 60;
    },
  },
  {
    name: "API unreachable",
    what: "the API server is unreachable during the step, and reachable at the next `up`",
    breakCluster: (cluster: RecordingCluster): void => {
      cluster.awaySeconds = Number.POSITIVE_INFINITY;
    },
    mendCluster: mend,
  },
  {
    name: "API lost in join",
    what: "the API server becomes unreachable once kubeadm has started, and is reachable at the next `up`",
    breakCluster: (cluster: RecordingCluster): void => {
      cluster.refusals = ['Get "https://control-plane:6443/": dial tcp: connection refused'];
    },
    mendCluster: mend,
  },
  {
    name: "wrong CA hash",
    what: "the CA hash is another cluster's; the next `up` has the right one",
    breakCluster: (cluster: RecordingCluster): void => {
      cluster.refusals = [invalidHash];
    },
    mendCluster: mend,
  },
  {
    name: "expired token",
    what: "the token has expired; the next `up` creates another",
    breakCluster: (cluster: RecordingCluster): void => {
      cluster.refusals = [noSignature];
    },
    mendCluster: mend,
  },
];

export function applies(row: Row, { rows: some = rows }: TableFault): boolean {
  return some.includes(row);
}
