import assert from "node:assert/strict";

export interface KillPoint {
  readonly state: string;
  readonly line: RegExp;
  readonly seconds: number;
}

const step = (name: string, seconds = 1): KillPoint => ({
  state: `during ${name}`,
  line: new RegExp(`Command win-1-${name} creating`),
  seconds,
});

/** Every state that a killed run can leave behind, in the order of an `up`. */
export const killPoints: readonly KillPoint[] = [
  { state: "network made", line: /libvirt:index:Network lab created/, seconds: 0 },
  { state: "kind half made", line: /Action control-plane creating/, seconds: 7 },
  { state: "VM booting", line: /Domain win-1 creating/, seconds: 3 },
  { state: "steps being copied", line: /Command win-1-steps creating/, seconds: 0 },
  step("test-windowshost"),
  step("enable-containersfeature"),
  step("confirm-reboot"),
  step("install-containerd"),
  step("install-kubernetes"),
  step("set-hostsentry", 0),
  step("join-node", 4),
  { state: "waiting for Ready", line: /Command win-1-ready creating/, seconds: 1 },
];

/** The same of what an `up` does for Calico. */
export const calicoKillPoints: readonly KillPoint[] = [
  { state: "during calico-definitions", line: /Command calico-definitions creating/, seconds: 1 },
  { state: "during calico-linux", line: /Command calico-linux creating/, seconds: 8 },
  {
    state: "during calico-configuration",
    line: /Command calico-configuration creating/,
    seconds: 0,
  },
];

export function killPoint(state: string): KillPoint {
  return killPoints.find((each) => each.state === state) ?? assert.fail(state);
}
