import assert from "node:assert/strict";
import { BastionForward } from "../../../../components/machine/existing/bastion-forward.ts";
import type { SshEndpoint as Hop } from "../../../../host/ssh/endpoint.ts";
import { onMachine } from "../../../../components/machine/dial-machine.ts";
import { runOn } from "../../../../host/ssh/run-over-ssh.ts";
import type { MachineRoute } from "../../../../components/machine/existing/machine-parameter.ts";
import { claimMachine } from "../../../../components/machine/existing/claim.ts";
import { dial } from "../../../../host/ssh/dial.ts";
import { waitUntil } from "../../../../host/wait-until.ts";
import { makeKey, SshServer } from "../../../engine/plugins/support/ssh-server.ts";
import { eachCase } from "../../each-case.ts";

describe("a machine behind several bastions", () => {
  const [login, stranger] = [makeKey(), makeKey()];
  const keys = [makeKey(), makeKey(), makeKey(), makeKey()] as const;
  /** Three bastions and the machine; each shows a host key of its own. */
  let servers: SshServer[];
  const closedPort = 1;
  const open: BastionForward[] = [];
  const reported: string[] = [];

  before(async () => {
    servers = [];
    for (const hostKey of keys) {
      servers.push(await SshServer.start({ hostKey, authorizedKeys: [login.publicKey] }));
    }
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
    reported.length = 0;
  });
  after(() => Promise.all(servers.map((server) => server.stop())));

  /** Where a server is, as it is pinned; with what is wrong about it in a case. */
  const hop = (index: number, wrong: Partial<Hop> = {}): Hop => ({
    host: "127.0.0.1",
    port: servers[index]?.port ?? 0,
    user: "jump",
    hostKey: keys[index]?.publicKey ?? "",
    privateKey: login.privateKey,
    ...wrong,
  });
  const place = (index: number, wrong?: Partial<Hop>) => {
    const { host, port, user, hostKey } = hop(index, wrong);
    return { host, port, user, hostKey };
  };
  const forwarded = async (hops: readonly Hop[]): Promise<BastionForward> => {
    const { host, port, user, hostKey } = hops.at(-1) ?? assert.fail("no hop");
    const last = { host, port, user, hostKey };
    const forward = await BastionForward.open(
      { port: 0, through: hops.slice(0, -1), last, machines: ["win-1", "win-2"] },
      (line) => reported.push(line),
    );
    open.push(forward);
    return forward;
  };

  /** As the command plugin goes: by one proxy, whose host key it checks. */
  const said = async (forward: BastionForward, last: Hop, dialErrorLimit = 0): Promise<string> => {
    const { signal } = new AbortController();
    const bounds = { dialErrorLimit, perDialTimeout: 300 };
    const ssh = await dial(
      {
        ...hop(3),
        ...bounds,
        via: [{ ...last, host: "127.0.0.1", port: forward.port, ...bounds }],
      },
      { signal, progress: () => undefined },
    );
    try {
      return (await runOn(ssh.client, "echo here", signal)).stdout.trim();
    } finally {
      ssh.close();
    }
  };

  for (const number of [2, 3]) {
    it(`is reached by ${number} of them, which are dialled once for all`, async () => {
      const hops = [0, 1, 2].slice(0, number).map((index) => hop(index));
      const forward = await forwarded(hops);
      const before = servers.map(({ accepted }) => accepted);
      const last = hops.at(-1) ?? assert.fail("no hop");
      const both = await Promise.all([said(forward, last), said(forward, last)]);
      assert.deepEqual(both, ["here", "here"]);
      const more = servers.map(({ accepted }, index) => accepted - (before[index] ?? 0));
      const dialled = [0, 1, 2].map((index) => (index < number - 1 ? 1 : index < number ? 2 : 0));
      assert.deepEqual(more, [...dialled, 2]);
      assert.deepEqual(reported, []);
    });
  }

  it("is reached again when a connection on the way was lost", async () => {
    const hops = [hop(0), hop(1), hop(2)];
    const forward = await forwarded(hops);
    assert.equal(await said(forward, hop(2)), "here");
    servers[0]?.dropConnections();
    assert.equal(await said(forward, hop(2), 5), "here");
  });

  it("connects only when a client does, and leaves nothing open", async () => {
    const before = servers.map(({ accepted }) => accepted);
    const forward = await forwarded([hop(0), hop(1)]);
    const now = servers.map(({ accepted }) => accepted);
    assert.deepEqual(now, before);
    await said(forward, hop(1));
    await forward.close();
    await waitUntil({ what: "no connection", timeoutSeconds: 300, pollMilliseconds: 20 }, () => {
      const left = servers.reduce((sum, server) => sum + server.open, 0);
      return Promise.resolve(left === 0 ? undefined : `${left} open`);
    });
  });

  const otherKey = (): Partial<Hop> => ({ hostKey: stranger.publicKey });

  /** What is wrong with which of three, and how that is reported. */
  const broken: Readonly<
    Record<string, readonly [at: number, wrong: () => Partial<Hop>, why: RegExp]>
  > = {
    "the second with another host key": [
      1,
      otherKey,
      /its bastion 2 of 3 jump@127\.0\.0\.1:\d+, from its bastion 1 of 3: .*shows the host key/,
    ],
    "the first not there": [
      0,
      () => ({ port: closedPort }),
      /its bastion 1 of 3 .*ECONNREFUSED.*among the bastions of win-1/,
    ],
    "the second that lets the key not in": [
      1,
      () => ({ privateKey: stranger.privateKey }),
      /its bastion 2 of 3 .*authentication methods failed.*in its authorized_keys/,
    ],
  };
  eachCase(
    "%s: no connection is forwarded, and the reason is reported once",
    broken,
    async ([at, wrong, why]) => {
      const hops = [0, 1, 2].map((index) => hop(index, index === at ? wrong() : {}));
      const forward = await forwarded(hops);
      await assert.rejects(said(forward, hop(2), 1), /Dial proxy/);
      assert.equal(reported.length, 1, reported.join("\n"));
      assert.match(reported[0] ?? "", why);
      assert.match(reported[0] ?? "", /^win-1, win-2: /);
      assert.doesNotMatch(reported[0] ?? "", /PRIVATE KEY|connection\./);
    },
  );

  const way = (at?: number, wrong: Partial<Hop> = {}): MachineRoute => {
    const [first, second, third, machine] = [0, 1, 2, 3].map((index) =>
      place(index, index === at ? wrong : {}),
    ) as [Hop, Hop, Hop, Hop];
    return { name: "win-1", through: [first, second], bastion: third, server: machine };
  };
  const access = { privateKey: login.privateKey };
  const all = { machine: access, bastion: access, through: [access, access] };

  it("the program's own look goes all the way without the port", async () => {
    const { stdout } = await onMachine(way(), all, 600, (client, signal) =>
      runOn(client, "echo here", signal),
    );
    assert.equal(stdout.trim(), "here");
  });

  const refused: readonly (readonly [number, () => Partial<Hop>, RegExp])[] = [
    [2, otherKey, /its bastion 3 of 3 jump@\S+, from its bastion 2 of 3: .*shows the host key/],
    [3, otherKey, /jump@\S+, from its bastion 3 of 3: .*the machine's own after a reinstall/],
  ];
  for (const [at, wrong, why] of refused) {
    it(`the program's own look names the ${at + 1}. server when that is wrong`, async () => {
      const machine = {
        ...way(at, wrong()),
        seconds: 600,
        folder: "C:/kindows/steps/x",
        reset: "never",
        media: [],
      };
      await assert.rejects(claimMachine(machine, all, false, 600), (error: Error) => {
        assert.match(
          error.message,
          /^win-1 \(jump@\S+ by \S+:\d+, \S+:\d+, \S+:\d+\) cannot be used/,
        );
        assert.match(error.message, why);
        return true;
      });
    });
  }
});
