import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { SshAccess } from "../../../components/machine/ssh-access.ts";
import { check, type Finding, needless, readAllowances } from "../../../policy/check.ts";
import { openForwards } from "../../../stacks/machine-logins.ts";
import type { MachineAccess } from "../../../stacks/existing-cluster.ts";
import { secrets } from "./printed-by.ts";
import { recordedStack, type Recording } from "./recorded-stack.ts";
import { isSecret } from "./recording-monitor.ts";

describe("the stacks that come with the project", () => {
  const previews = new Map<string, Recording>();
  before(async () => {
    for (const stack of ["dev-2025", "dev", "rehearsal", "fleet", "existing"]) {
      previews.set(stack, await recordedStack(stack));
    }
  });

  it("have 63 resources at most with one Windows node", () => {
    for (const stack of ["dev", "dev-2025", "rehearsal"]) {
      const count = previews.get(stack)?.steps.size ?? Infinity;
      assert.ok(count <= 63, `${stack} has ${count}: each makes every preview slower`);
    }
  });

  it("keep the rules, with exceptions that each are needed", async () => {
    const allowances = await readAllowances("policy");
    const findings: Finding[] = [];
    for (const [stack, preview] of previews) {
      assert.ok(preview.resources.some(({ type }) => type.startsWith("command:remote:")));
      const found = check(preview, allowances);
      const broken = found.filter(({ accepted }) => accepted === undefined);
      assert.deepEqual(broken, [], stack);
      findings.push(...found);
    }
    assert.deepEqual(needless(allowances.exceptions, findings), []);
  });

  for (const stack of ["dev-2025", "dev", "rehearsal", "fleet"]) {
    it(`have no key and no token in clear when they are up: ${stack}`, async () => {
      const { steps, outputs } = await recordedStack(stack, { up: "itself" });
      const text = (hides: (value: unknown) => boolean): string =>
        JSON.stringify([...steps.values(), ...outputs.values()], (_, value: unknown) =>
          hides(value) ? "hidden" : value,
        );
      for (const secret of secrets) {
        assert.ok(text(() => false).includes(secret));
        assert.ok(!text(isSecret).includes(secret), secret);
      }
    });
  }

  it("show every existing machine that is touched, and what is done there", () => {
    const names = (type: string): string[] =>
      (previews.get("existing")?.resources ?? [])
        .filter((each) => each.type === type)
        .map(({ name }) => name);
    for (const machine of ["win-1", "win-2"]) {
      assert.ok(names("command:local:Command").includes(`${machine}-machine`), machine);
      for (const step of ["test-windowshost", "install-containerd", "join-node"]) {
        assert.ok(names("command:remote:Command").includes(`${machine}-${step}`), step);
      }
    }
    assert.deepEqual(names("kubernetes:apps/v1:DaemonSet"), ["kube-proxy-windows"]);
  });
});

const hop = (port: number): SshAccess => ({
  host: "127.0.0.1",
  port,
  user: "jump",
  privateKey: "key",
  hostKey: "ssh-ed25519 AAAA",
});

/** A machine behind two bastions, the last of which is reached by a port of this host. */
const behindTwo = (port: number): MachineAccess => ({
  machine: hop(22),
  hops: [hop(1), hop(2)],
  forwardPort: port,
});

describe("the ports that lead to bastions behind others", () => {
  it("are one for all machines behind the same", async () => {
    const opened = await openForwards([
      ["win-1", behindTwo(0)],
      ["win-2", behindTwo(0)],
      ["win-3", { hops: [hop(2)] }],
      ["win-4", { hops: [] }],
    ]);
    await Promise.all(opened.map((forward) => forward.close()));
    assert.equal(opened.length, 1);
  });

  it("are refused before anything is done, each that is somebody else's", async () => {
    const others = await Promise.all([listening(), listening()]);
    const [first = 0, second = 0] = others.map((each) => (each.address() as AddressInfo).port);
    try {
      const ways = [first, second, first].map(
        (port, index) => [`win-${index + 1}`, behindTwo(port)] as const,
      );
      await assert.rejects(openForwards(ways), ({ message }: Error) => {
        const line = (port: number, names: string): string =>
          `  - port ${port} of this host cannot lead to jump@127.0.0.1:2 for ${names}: another program listens there\\. .*forwardPort.*`;
        const lines = [line(first, "win-1, win-3"), line(second, "win-2")].join("\n");
        const head = "not all bastions can be reached; nothing was changed:";
        return new RegExp(`^${head}\n${lines}$`).test(message);
      });
    } finally {
      await Promise.all(others.map((each) => new Promise((resolve) => each.close(resolve))));
    }
  });
});

async function listening(): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
