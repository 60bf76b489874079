import assert from "node:assert/strict";
import { availableIn, bridgeIn } from "../../../preflight/probe-hypervisors.ts";

describe("answers of another host's libvirt", () => {
  const bridges = {
    "a bridge with its MTU": {
      stdout:
        "<interface type='bridge' name='br0'>\n  <mtu size='9000'/>\n  <bridge>\n  </bridge>\n</interface>\n",
      stderr: "",
      bridge: { mtu: 9000 },
    },
    "a bridge that tells no MTU": {
      stdout: "<interface type='bridge' name='br0'/>\n",
      stderr: "",
      bridge: { mtu: undefined },
    },
    "an interface that is no bridge": {
      stdout: "<interface type='ethernet' name='br0'>\n  <mtu size='1500'/>\n</interface>\n",
      stderr: "",
      bridge: "missing",
    },
    "no interface of that name": {
      stdout: "",
      stderr:
        "error: failed to get interface 'br0'\nerror: Interface not found: couldn't find interface named 'br0'\n",
      bridge: "missing",
    },
    "a libvirt without the driver": {
      stdout: "",
      stderr: "error: this function is not supported by the connection driver: virInterfaceLookup",
      bridge: "unknown",
    },
  };
  for (const [name, { stdout, stderr, bridge }] of Object.entries(bridges)) {
    it(name, () => {
      assert.deepEqual(bridgeIn({ stdout, stderr }), bridge);
    });
  }

  it("memory: what is free, and what caches would give back", () => {
    const text =
      "total  :             16384000 KiB\nfree   :              1024000 KiB\nbuffers:                 1024 KiB\ncached :              2048000 KiB\n";
    assert.equal(availableIn(text), 3001);
  });

  it("memory that is not told", () => {
    assert.equal(availableIn("error: unsupported"), undefined);
  });
});
