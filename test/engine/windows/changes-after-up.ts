import type { Variation } from "./nodes-lab.ts";

const steps = [
  ...["test-windowshost", "enable-containersfeature", "confirm-reboot"],
  ...["install-containerd", "install-kubernetes", "set-hostsentry", "join-node"],
].map((step) => `win-1-${step}`);
const copies = ["win-1-home", "win-1-steps"];
const node = ["win-1-registration", "win-1-ready"];

/** A change of a running node, and the operations it plans, without `same`. */
export interface ChangeAfterUp {
  readonly name: string;
  readonly to?: Variation;
  /** A script that gets one more byte, relative to the steps' folder. */
  readonly edited?: string;
  readonly updates?: readonly string[];
  readonly replaces?: readonly string[];
}

const byteIn = (edited: string, ...updates: string[]): ChangeAfterUp => ({
  name: `a byte in ${edited}`,
  edited,
  updates: [...copies, ...updates],
});

/** Each change alone, on a running node. */
export const changesAfterUp: readonly ChangeAfterUp[] = [
  { name: "nothing" },
  {
    name: "a label",
    to: { labels: { zone: "b" } },
    updates: ["win-1-join-node", "win-1-registration"],
  },
  // Only the next join uses a token with another lifetime.
  { name: "a shorter life of join tokens", to: { tokenMinutes: 30 } },
  // The disk stays, with everything that the steps did.
  { name: "more memory", to: { domain: "two" }, replaces: ["machine"] },
  byteIn("Install-Kubernetes.ps1", "win-1-install-kubernetes"),
  byteIn("Join-Node.ps1", "win-1-join-node"),
  // It undoes the first step.
  byteIn("Reset-Node.ps1", "win-1-test-windowshost"),
  byteIn("Export-NodeLog.ps1"),
  byteIn("lib/KubeadmJoin.ps1", "win-1-join-node"),
  { ...byteIn("lib/Step.ps1", ...steps), name: "a byte in lib/Step.ps1, which every step has" },
  {
    name: "a new machine",
    to: { instance: "two" },
    replaces: ["identity", "machine", "token", ...copies, ...steps, ...node],
  },
];
