import assert from "node:assert/strict";
import { access, stat } from "node:fs/promises";
import { join } from "node:path";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { type FussyCluster, startJoinable } from "./fussy-cluster.ts";
import { caCertHash, goodArguments, joinInput, joinToken, runStep } from "./step-runner.ts";

const joinRecord = "C:\\kindows\\state\\join.json";

describe("the token of a join, rehearsed", () => {
  let host: RehearsalHost;
  let cluster: FussyCluster;

  beforeEach(async () => {
    ({ host, cluster } = await startJoinable());
  });
  afterEach(() => host.stop());

  const joinNode = (input = joinInput): ReturnType<typeof runStep> =>
    runStep(host, "Join-Node", goodArguments(host)["Join-Node"], input);
  const isThere = (path: string): Promise<boolean> => host.windows.drive.isFile(path);

  it("keeps the token out of command lines, output and files that stay", async () => {
    const result = await joinNode();
    assert.equal(result.exitCode, 0);
    const secret = joinToken.split(".")[1] ?? "";
    assert(!host.programs.commands.join("\n").includes(secret));
    assert(!result.stderr.includes(secret));
    await assert.rejects(
      access(join(host.driveC, "kindows/state/join-configuration.json")),
      /ENOENT/,
    );
  });

  it("hides the token in what kubeadm writes", async () => {
    cluster.refusals = [`token ${joinToken} is no good`];
    const result = await joinNode();
    assert.match(result.errorMessage, /token \*\*\* is no good/);
    assert(!result.stderr.includes(joinToken));
  });

  it("a token that a power cut left is removed by whichever step runs next", async () => {
    const bootstrap = "C:\\etc\\kubernetes\\bootstrap-kubelet.conf";
    const configuration = "C:\\kindows\\state\\join-configuration.json";
    for (const path of [configuration, bootstrap]) {
      await host.windows.drive.write(path, joinToken, true);
    }
    await runStep(host, "Test-WindowsHost", goodArguments(host)["Test-WindowsHost"]);
    // Without a record of a join the second one is not ours.
    assert.deepEqual(await Promise.all([configuration, bootstrap].map(isThere)), [false, true]);
    await host.windows.drive.write(joinRecord, '{"joining":"x"}');
    await runStep(host, "Test-WindowsHost", goodArguments(host)["Test-WindowsHost"]);
    assert.equal(await isThere(bootstrap), false);
  });

  it("nobody but the administrator can read the token while it is on the drive", async () => {
    const modes: number[] = [];
    cluster.onAuthorize = async () => {
      const state = join(host.driveC, "kindows/state");
      for (const path of [state, join(state, "join-configuration.json")]) {
        modes.push((await stat(path)).mode & 0o077);
      }
    };
    await joinNode();
    assert.deepEqual(modes, [0, 0]);
  });

  const hash = [caCertHash];
  const wrong: readonly (readonly [input: string, message: RegExp])[] = [
    ["", /no token/],
    [joinToken, /not JSON \(23 characters\)/],
    ["null", /no token/],
    [JSON.stringify({ caCertHashes: hash }), /no token/],
    [JSON.stringify({ token: joinToken.toUpperCase(), caCertHashes: hash }), /no token/],
    [JSON.stringify({ token: joinToken }), /no caCertHashes/],
    [JSON.stringify({ token: joinToken, caCertHashes: [] }), /no caCertHashes/],
    [JSON.stringify({ token: joinToken, caCertHashes: ["sha1:00"] }), /no caCertHashes/],
  ];
  it("is refused, and not repeated, when it is not what it must be", async () => {
    for (const [input, message] of wrong) {
      const result = await joinNode(input);
      assert.deepEqual([result.exitCode, result.errorCode], [13, "SecretMissing"], input);
      assert.match(result.errorMessage, message);
      assert.ok(!result.stderr.includes(joinToken));
    }
  });

  it("is taken with a byte order mark and line ends", async () => {
    assert.equal((await joinNode(`\uFEFF${joinInput}\r\n`)).exitCode, 0);
  });
});
