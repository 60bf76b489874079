import assert from "node:assert/strict";
import { labsIn, labsText } from "../../../cli/lab/labs.ts";
import type { HostResource } from "../../../components/host-resource.ts";

const part = (lab: string, state = ""): HostResource => ({
  ...{ kind: "k", name: "n", lab, identity: undefined, state },
});

const a = "kindows-a";
const claim = { project: "/home/me/kindows", stack: "rehearsal" };
const parts = {
  machines: [part(a, "running"), part("kindows-b", "shut off"), part("kindows-c", "running")],
  containers: [part(a, "running"), part("kindows-b", "exited"), part("kindows-c", "exited")],
  all: [part(a), part("kindows-d", "active")],
  claimOf: (lab: string) => (lab === a ? claim : undefined),
};

describe("labs on a host", () => {
  it("have the state of their machines and containers; what is left of one is one too", () =>
    assert.deepEqual(
      labsIn(parts).map(({ lab, state }) => `${lab} ${state}`),
      ["kindows-a running", "kindows-b stopped", "kindows-c partly running", "kindows-d left over"],
    ));

  it("are shown in a table with the stack that runs each", () =>
    assert.equal(
      labsText(labsIn(parts)),
      `LAB        STATE           MACHINES  CONTAINERS  STACK      CLONE
kindows-a  running         1/1       1/1         rehearsal  /home/me/kindows
kindows-b  stopped         0/1       0/1         ?          ?
kindows-c  partly running  1/1       0/1         ?          ?
kindows-d  left over       0/0       0/0         ?          ?`,
    ));

  it("may be none", () =>
    assert.equal(
      labsText(labsIn({ machines: [], containers: [], all: [], claimOf: () => undefined })),
      "there is no lab on this host",
    ));
});
