import assert from "node:assert/strict";
import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import * as libvirt from "@pulumi/libvirt";

import { LabNetwork, type LabNetworkArgs } from "../../../components/network/lab-network.ts";
import { look, record, type Recorded } from "../controlplane/recorded-resources.ts";

const segment = "libvirt:index/network:Network/lab";
const block = "command:local:Command/lab-containers";

async function network(containers: LabNetworkArgs["containers"]) {
  const { made, resources } = await record(
    () => "192.168.122.224/28",
    (opts) =>
      new LabNetwork(
        "lab",
        {
          ...{ name: "kindows-own", cidr: "192.168.122.0/24", bridge: "virbr0", domain: "d" },
          gateway: "192.168.122.1",
          containers,
          libvirtProvider: new libvirt.Provider("hypervisor", { uri: "qemu:///system" }),
          dockerProvider: new docker.Provider("docker", {}),
          labId: pulumi.output("0123456789abcdef"),
        },
        opts,
      ),
  );
  const adopted = resources.get("docker:index/network:Network/lab");
  assert.ok(adopted);
  return { made, resources, adopted };
}

function ipam({ inputs }: Recorded): unknown {
  return (inputs["ipamConfigs"] as unknown[])[0];
}

describe("a lab's network", () => {
  it("is libvirt's and Docker's, with a part of it for containers", async () => {
    const { made, resources, adopted } = await network("192.168.122.128/25");
    assert.ok(resources.has(segment));
    assert.ok(!resources.has(block));
    assert.equal((await look(made.networkId)).value, "lab-id");
    const parts = { subnet: "192.168.122.0/24", gateway: "192.168.122.1" };
    assert.deepEqual(ipam(adopted), { ...parts, ipRange: "192.168.122.128/25" });
  });

  const used = { uri: "qemu:///system", name: "default", uuid: "u-1", containers: 3, avoid: [] };

  it("is only Docker's where libvirt's was there, with a block that is reserved in it", async () => {
    const { made, resources, adopted } = await network({ ...used, avoid: ["192.168.122.220"] });
    assert.ok(!resources.has(segment), "it would be removed with the lab");
    const reserved = resources.get(block);
    assert.ok(reserved);
    const environment = reserved.inputs["environment"] as Record<string, string>;
    assert.deepEqual(JSON.parse(environment["CONTAINERS"] ?? ""), {
      ...{ uri: "qemu:///system", network: "default", lab: "kindows-own" },
      ...{ id: "0123456789abcdef", prefixLength: 28 },
    });
    assert.deepEqual(JSON.parse(environment["AVOID"] ?? ""), ["192.168.122.220"]);
    assert.match(String(reserved.inputs["delete"]), /reserve-containers\.ts --release$/);
    assert.equal((await look(made.networkId)).value, "u-1");
    const parts = { subnet: "192.168.122.0/24", gateway: "192.168.122.1" };
    assert.deepEqual(ipam(adopted), { ...parts, ipRange: "192.168.122.224/28" });
    const options = adopted.inputs["options"] as Record<string, string>;
    assert.equal(options["com.docker.network.bridge.name"], "virbr0");
  });

  it("keeps its block whatever machines are added: another would need another cluster", async () => {
    const { resources } = await network(used);
    assert.deepEqual(resources.get(block)?.opts.ignoreChanges, ["environment.AVOID"]);
  });
});
