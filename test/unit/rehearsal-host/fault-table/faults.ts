import type { FaultPlace, FaultPoint, FaultSetting } from "../../../../rehearsal/host/faults.ts";
import type { RehearsalHost } from "../../../../rehearsal/host/in-process.ts";
import type { FaultyCluster } from "./faulty-cluster.ts";
import { isCopy, placeOf, type Row, rows, unpacking } from "./rows.ts";

/** What goes wrong: a line of the table. */
export interface TableFault {
  /** Head of its line. */
  readonly name: string;
  /** What happens, for the page. */
  readonly what: string;
  /** Settings of the rehearsal host that make it happen in a row. `bytes` is what a copy brings. */
  readonly settings?: (row: Row, bytes: number) => FaultSetting[];
  /** What is wrong with the machine when the row begins. */
  readonly breakMachine?: (host: RehearsalHost) => Promise<void>;
  /** What is wrong with the cluster while the row runs. */
  readonly breakCluster?: (cluster: FaultyCluster) => void;
  /** Put right by a person, or by time, before the next `up`; without, nothing need be. */
  readonly mendCluster?: (cluster: FaultyCluster) => void;
  /** Rows it can strike in. Default: all. */
  readonly rows?: readonly Row[];
  /** Why it can't strike in the others, for the page. */
  readonly notElsewhere?: string;
}

type Point = Exclude<FaultPoint, number>;
const points: readonly Point[] = ["start", "middle", "end"];
const invalidHash = "none of the public keys pinned were found";
const noSignature =
  'could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"';
const mend = (cluster: FaultyCluster): void => {
  cluster.mend();
};

/** Of the bytes of a copy, those after which it is struck. */
function bytesAt(at: Point, bytes: number): number {
  return { start: 0, middle: Math.floor(bytes / 2), end: bytes - 1 }[at];
}

/** A fault that strikes at a point of whatever is done: of a copy in its own way. */
function strike(
  by: "connection" | "power" | "disk",
  at: Point,
  inStep: (step: FaultPlace) => FaultSetting,
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
  "Join-Node sets it by the control plane's. On a node that has joined no step minds, and the clock stays Windows' own " +
  "time service's";

/** The lines. */
export const faults: readonly TableFault[] = [
  ...points.map((at) => ({
    name: `SSH drops, ${at}`,
    what: `the connection breaks at the ${at} of the step, which goes on on the machine, or of a copy, which does not`,
    settings: strike("connection", at, (step) => ({ kind: "dropConnection", step, at })),
  })),
  {
    name: "SSH drops, in the result",
    what: "the connection breaks when all is done and half of the line with the result has been sent; of `tar.exe`, before its exit status has",
    rows: rows.filter((row) => !isCopy(row)),
    notElsewhere:
      "a copy has no line with a result. Its last answer is SFTP's, and is cut by the line below",
    settings: (row: Row): FaultSetting[] =>
      isCopy(row) ? [] : [{ kind: "cutResult", step: placeOf(row) }],
  },
  ...points.map((at) => ({
    name: `reboot, ${at}`,
    what: `the machine loses its power at the ${at} of the copy or the unpacking and boots`,
    rows: rows.filter((row) => isCopy(row) || row === unpacking),
    notElsewhere: "a step loses the power before each change it makes: the last line but one",
    settings: strike("power", at, (step) => ({ kind: "reboot", step, at })),
  })),
  ...(["start", "middle"] as const).map((at) => ({
    name: `disk full, ${at}`,
    what: `nothing can be written from the ${at} of the step or copy on; somebody makes room afterwards`,
    settings: strike("disk", at, (step) => ({ kind: "diskFull", step, at })),
  })),
  {
    name: "clock behind",
    what: `the machine's clock falls back by 7 hours at the start; ${clockLater}`,
    breakMachine: clockOff(-7),
  },
  {
    name: "clock ahead",
    what: "the machine's clock jumps ahead by 7 hours at the start; as before",
    breakMachine: clockOff(7),
  },
  {
    name: "address lost",
    what: "HNS takes the machine's address away in the middle of the step or copy, for 20 s",
    settings: (row, bytes) =>
      isCopy(row)
        ? [{ kind: "cutTransfer", by: "address", afterBytes: bytesAt("middle", bytes) }]
        : [{ kind: "loseAddress", step: placeOf(row), at: "middle", seconds: 20 }],
  },
  {
    name: "address gone",
    what: "HNS puts its switch on the adapter and the address does not come back; the machine reboots by itself",
    rows: ["Add-ExternalNetwork", "Confirm-ExternalNetwork"],
    notElsewhere:
      "nothing else puts a switch on an adapter; where Reset-Node takes one away, the adapter goes on with what Windows " +
      "has kept for it, which is the line above",
    settings: (): FaultSetting[] => [{ kind: "addressLost" }],
  },
  {
    name: "API away, a minute",
    what: "the API server is away at the start of the step, for 60 s",
    breakCluster: (cluster: FaultyCluster): void => {
      cluster.awaySeconds = 60;
    },
  },
  {
    name: "API away",
    what: "the API server is away during the step, and is there again at the next `up`",
    breakCluster: (cluster: FaultyCluster): void => {
      cluster.awaySeconds = Number.POSITIVE_INFINITY;
    },
    mendCluster: mend,
  },
  {
    name: "API lost in join",
    what: "the API server goes away when kubeadm has begun, and is there again at the next `up`",
    breakCluster: (cluster: FaultyCluster): void => {
      cluster.refusal = 'Get "https://control-plane:6443/": dial tcp: connection refused';
    },
    mendCluster: mend,
  },
  {
    name: "wrong CA hash",
    what: "the CA hash is another cluster's; the next `up` has the right one",
    breakCluster: (cluster: FaultyCluster): void => {
      cluster.refusal = invalidHash;
    },
    mendCluster: mend,
  },
  {
    name: "expired token",
    what: "the token has expired; the next `up` mints another",
    breakCluster: (cluster: FaultyCluster): void => {
      cluster.refusal = noSignature;
    },
    mendCluster: mend,
  },
];

/** Whether a fault can strike in a row. */
export function applies(row: Row, { rows: some = rows }: TableFault): boolean {
  return some.includes(row);
}
