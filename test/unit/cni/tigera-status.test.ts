import assert from "node:assert/strict";

import {
  missingComponents,
  type TigeraCondition,
  type TigeraStatus,
} from "../../../components/cni/calico/tigera-status.ts";

const wanted = [{ name: "calico", generation: 2 }];

function status(...conditions: readonly TigeraCondition[]): TigeraStatus {
  return { metadata: { name: "calico" }, status: { conditions } };
}

const available = { type: "Available", status: "True", observedGeneration: 2 };
const cases: Readonly<Record<string, readonly [readonly TigeraStatus[], readonly string[]]>> = {
  "nothing when all is there": [
    [
      status(
        available,
        { type: "Progressing", status: "False" },
        { type: "Degraded", status: "False" },
      ),
    ],
    [],
  ],
  "that there is no report yet": [[], ["calico: no report of the operator's yet"]],
  "that a report is of another component": [
    [{ ...status(available), metadata: { name: "apiserver" } }],
    ["calico: no report of the operator's yet"],
  ],
  "what the operator refuses, in its own words": [
    [
      status(available, {
        type: "Degraded",
        status: "True",
        reason: "InvalidConfigurationError",
        message: "Invalid Installation provided: spec.cni must be defined",
      }),
    ],
    [
      "calico: degraded: InvalidConfigurationError: Invalid Installation provided: spec.cni must be defined",
    ],
  ],
  "what is under way, in the operator's own words": [
    [
      status({
        type: "Progressing",
        status: "True",
        reason: "ResourceNotReady",
        message: 'DaemonSet "calico-system/calico-node" is not available (awaiting 2 nodes)',
      }),
    ],
    [
      'calico: not there yet: ResourceNotReady: DaemonSet "calico-system/calico-node" is not available (awaiting 2 nodes)',
    ],
  ],
  "that nothing is said": [
    [status({ type: "Available", status: "False" })],
    ["calico: not there yet, and the operator does not say why"],
  ],
  "a refusal without words": [
    [status({ type: "Degraded", status: "True" })],
    ["calico: degraded: without a reason"],
  ],
  "that a report is older than the settings": [
    [status({ ...available, observedGeneration: 1 })],
    ["calico: the operator has not looked at the newest settings yet"],
  ],
  "nothing of a generation the operator does not note": [
    [status({ type: "Available", status: "True" })],
    [],
  ],
  "nothing of a generation that was never set": [
    [status({ ...available, observedGeneration: 0 })],
    [],
  ],
};

describe("a report of Tigera's operator", () => {
  for (const [name, [statuses, expected]] of Object.entries(cases)) {
    it(`tells ${name}`, () => {
      assert.deepEqual(missingComponents(statuses, wanted), expected);
    });
  }
});
