import assert from "node:assert/strict";
import { execa } from "execa";
import { succeeded, tail, TestLab } from "../e2e/lab.ts";

const names = ["control-plane", "control-plane2", "control-plane3", "external-load-balancer"];

/** Members of etcd know each other's addresses, so that a cluster comes back only if all have theirs (kind#1689). */
describe("three control planes keep their addresses", function () {
  this.bail(true);

  const lab = new TestLab("e2ethree");
  const containers = names.map((name) => `${lab.prefix}-${name}`);
  const controlPlanes = containers.slice(0, 3);

  const docker = async (...args: readonly string[]): Promise<string> =>
    (await execa("docker", args, { timeout: 180_000 })).stdout;

  async function addresses(): Promise<readonly string[]> {
    const format = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}";
    return (await docker("inspect", "--format", format, ...containers)).split("\n");
  }

  let first: readonly string[] = [];

  /** Docker gives the lowest free address to the one that starts first. */
  function lastFirst(): readonly string[] {
    const last = (name: string): number => Number(first[containers.indexOf(name)]?.split(".")[3]);
    return containers.toSorted((one, other) => last(other) - last(one));
  }

  /** As when the daemon starts them in another order than they were made in. */
  async function startInReverse(): Promise<void> {
    await docker("stop", "--time", "10", ...containers);
    for (const name of lastFirst()) {
      // One that had its address given to it before keeps it.
      for (const network of ["disconnect", "connect"]) {
        await docker("network", network, lab.prefix, name);
      }
      await docker("start", name);
    }
    const now = await addresses();
    assert.ok(
      now.every((address, index) => address !== first[index]),
      now.join(", "),
    );
  }

  before(async () => {
    await lab.configure({
      network: { cidr: "192.168.163.0/24" },
      cluster: { controlPlanes: 3 },
      nodes: [],
    });
    await lab.kindows("down");
    await succeeded(lab.kindows("up"), "up");
    first = await addresses();
  });
  after(() => lab.remove());

  async function isAsBefore(): Promise<void> {
    assert.deepEqual(await addresses(), first);
    assert.deepEqual(await lab.readyNodes(), controlPlanes);
    await lab.plansNothing();
  }

  it("after up, where Docker has exchanged them", async () => {
    await startInReverse();
    const found = await lab.kindows("doctor");
    assert.ok(
      found.output.includes(`misplaced docker container ${containers[0]}`),
      tail(found.output),
    );
    await succeeded(lab.kindows("up"), "up");
    await isAsBefore();
  });

  it("after stop and start, whoever starts first", async () => {
    await succeeded(lab.kindows("stop"));
    for (const name of lastFirst()) await docker("start", name);
    await succeeded(lab.kindows("start"), "start");
    await isAsBefore();
  });
});
