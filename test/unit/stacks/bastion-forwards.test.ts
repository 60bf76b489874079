import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { SshAccess } from "../../../components/machine/existing/existing-machine.ts";
import { openForwards } from "../../../stacks/bastion-forwards.ts";
import type { MachineAccess } from "../../../stacks/machine-access.ts";

const hop = (port: number): SshAccess => ({
  ...{ host: "127.0.0.1", port, user: "jump", privateKey: "key", hostKey: "ssh-ed25519 AAAA" },
});

/** A machine behind two bastions, the last of which is reached by a port of this host. */
const behindTwo = (port: number): MachineAccess => ({
  ...{ machine: hop(22), bastion: hop(2), forward: { port, through: [hop(1)] } },
});

describe("the ports that lead to bastions behind others", () => {
  it("are one for all machines behind the same", async () => {
    const opened = await openForwards([
      ["win-1", behindTwo(0)],
      ["win-2", behindTwo(0)],
      ["win-3", { machine: hop(22), bastion: hop(2) }],
      ["win-4", { machine: hop(22) }],
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
        const [head, ...lines] = message.split("\n");
        assert.equal(head, "not all bastions can be reached; nothing was changed:");
        const begin = (port: number, names: string): string =>
          `  - port ${port} of this host cannot lead to jump@127.0.0.1:2 for ${names}: somebody else`;
        assert.ok(lines[0]?.startsWith(begin(first, "win-1, win-3")), message);
        assert.ok(lines[1]?.startsWith(begin(second, "win-2")), message);
        assert.equal(lines.length, 2);
        assert.match(message, /listens there\. .*forwardPort/);
        return true;
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
