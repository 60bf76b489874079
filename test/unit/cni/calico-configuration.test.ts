import assert from "node:assert/strict";

import { calicoResources, withFields } from "../../../components/cni/calico/configuration.ts";

describe("what is set in Calico's API", () => {
  it("is strict affinity, and Felix's fields as the settings have them", () => {
    assert.deepEqual(
      calicoResources({ felix: { logSeverityScreen: "Debug" } }).map(({ kind, spec }) => [
        kind,
        spec,
      ]),
      [
        ["IPAMConfiguration", { strictAffinity: true, autoAllocateBlocks: true }],
        ["FelixConfiguration", { logSeverityScreen: "Debug" }],
      ],
    );
  });

  it("takes out what was set before and is not any more", () => {
    const [, felix] = calicoResources({ felix: { a: 1, b: true } }, ["a", "c"]);
    assert.deepEqual(withFields({ a: 0, c: "x", vxlanVNI: 4096 }, felix?.spec ?? {}), {
      a: 1,
      b: true,
      vxlanVNI: 4096,
    });
  });

  it("leaves alone what is as it shall be", () => {
    assert.equal(withFields({ a: 1, vxlanVNI: 4096 }, { a: 1, c: undefined }), undefined);
  });
});
