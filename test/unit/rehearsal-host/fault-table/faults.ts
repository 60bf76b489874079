import { type FaultPoint, type FaultSetting } from "../../../../rehearsal/host/faults.ts";
import { type StepName, stepNames } from "../../../../rehearsal/host/step-names.ts";
import type { FaultyCluster } from "./faulty-cluster.ts";

/** What goes wrong: a column of the table. */
export interface TableFault {
  /** Head of its column. */
  readonly name: string;
  /** What happens, for the page. */
  readonly what: string;
  /** Settings of the rehearsal host that make it happen in a step. */
  readonly settings?: (step: StepName, row: string) => FaultSetting[];
  /** What is wrong with the cluster while the step runs. */
  readonly breakCluster?: (cluster: FaultyCluster) => void;
  /** Rows it can strike in. Default: all steps. */
  readonly rows?: readonly string[];
  /** Put right by a person, or by time, before the next `up`; without, nothing need be. */
  readonly mendCluster?: (cluster: FaultyCluster) => void;
}

/** What is copied to a machine rather than run on it: rows of the table too. */
export const copies = ["copy of the scripts", "push of the media"] as const;

/** Steps up to the join, which sets a clock that is wrong; the others are run on a node. */
const makingSteps = stepNames.slice(0, stepNames.indexOf("Join-Node") + 1);

const points: readonly FaultPoint[] = ["start", "middle", "end"];
const invalidHash = "none of the public keys pinned were found";
const noSignature =
  'could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"';
const mend = (cluster: FaultyCluster): void => {
  cluster.mend();
};

/** The columns. */
export const tableFaults: readonly TableFault[] = [
  ...points.map((at) => ({
    name: `SSH drops, ${at}`,
    what: `the connection breaks at the ${at} of the step, which goes on on the machine`,
    settings: (step: StepName): FaultSetting[] => [{ kind: "dropConnection", step, at }],
  })),
  {
    name: "SSH drops, in the result",
    what: "the connection breaks when all is done and half of the line with the result has been sent",
    settings: (step: StepName): FaultSetting[] => [{ kind: "cutResult", step }],
  },
  ...points.map((at) => ({
    name: `reboot, ${at}`,
    what: `the machine loses its power at the ${at} of the step and boots`,
    settings: (step: StepName): FaultSetting[] => [{ kind: "reboot", step, at }],
  })),
  {
    name: "disk full, start",
    what: "nothing can be written from the start of the step on; somebody makes room afterwards",
    settings: (step: StepName): FaultSetting[] => [{ kind: "diskFull", step, at: "start" }],
  },
  {
    name: "disk full, middle",
    what: "nothing can be written from the middle of the step on; somebody makes room afterwards",
    settings: (step: StepName): FaultSetting[] => [{ kind: "diskFull", step, at: "middle" }],
  },
  {
    name: "clock behind",
    rows: makingSteps,
    what: "the machine's clock falls back by 7 hours at the start of the step",
    settings: (step: StepName): FaultSetting[] => [
      { kind: "clockOff", step, at: "start", hours: -7 },
    ],
  },
  {
    name: "clock ahead",
    rows: makingSteps,
    what: "the machine's clock jumps ahead by 7 hours at the start of the step",
    settings: (step: StepName): FaultSetting[] => [
      { kind: "clockOff", step, at: "start", hours: 7 },
    ],
  },
  {
    name: "address lost",
    what: "HNS takes the machine's address away in the middle of the step, for 20 s",
    settings: (step: StepName): FaultSetting[] => [
      { kind: "loseAddress", step, at: "middle", seconds: 20 },
    ],
  },
  {
    name: "address gone",
    what: "HNS puts its switch on the adapter and the address does not come back; the machine reboots by itself",
    rows: ["Add-ExternalNetwork"],
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

/** Bytes after which a copy to the machine is cut, and by what: the faults of what is copied rather than run. */
export const transferFaults: readonly TableFault[] = (["connection", "disk"] as const).flatMap(
  (by) =>
    (
      [
        ["start", 0],
        ["middle", 60_000],
      ] as const
    ).map(([at, afterBytes]) => ({
      name: `${by === "disk" ? "copy fills disk" : "copy cut"}, ${at}`,
      what:
        by === "disk"
          ? `the drive is full at the ${at} of a copy to the machine`
          : `the connection breaks at the ${at} of a copy to the machine`,
      // The model's media are small.
      settings: (_step: StepName, row: string): FaultSetting[] => [
        {
          kind: "cutTransfer",
          afterBytes: row.startsWith("push") ? afterBytes / 200 : afterBytes,
          by,
        },
      ],
      rows: copies,
    })),
);
