import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import path from "node:path";
import { startRehearsalHost, type RehearsalHost } from "../../../../rehearsal/host/in-process.ts";
import { officialSoftware } from "../../../../components/windows/software.ts";
import { machineReset } from "../../../../stacks/existing-machines.ts";
import { runAction, type Ended } from "../../controlplane/run-action.ts";
import { makeKey } from "../../../engine/plugins/support/ssh-server.ts";

const software = officialSoftware(
  { kubernetes: "1.36.4", containerd: "2.3.4" },
  { checksums: { kubelet: "5".repeat(64) }, lock: {}, folders: {} },
);

describe("actions on a machine that is there", () => {
  const login = makeKey();
  let host: RehearsalHost;

  before(async () => {
    host = await startRehearsalHost({ hostName: "win-1", authorizedKeys: [login.publicKey] });
  });
  after(() => host.stop());

  const run = (
    action: string,
    more: { readonly name?: string; readonly hostKey?: string; readonly gone?: string } = {},
  ): Promise<Ended> => {
    const { name = "win-1", hostKey = host.hostKey, gone = "" } = more;
    const place = { host: "127.0.0.1", port: host.port, user: "Administrator", hostKey };
    return runAction(`machine/actions/${action}`, {
      KINDOWS_GONE: gone,
      MACHINE: JSON.stringify({ name, place, ...machineReset(software) }),
      KEYS: JSON.stringify({ machine: { privateKey: login.privateKey } }),
    });
  };
  const onDrive = (folder: string): string => path.join(host.driveC, folder);

  it("claim one that answers, is called as it shall be, and is nobody's node", async () => {
    const end = await run("claim-machine");
    assert.deepEqual([end.exitCode, end.stdout], [0, "claimed"], end.stderr);
  });

  it("do not claim one that is somebody's node", async () => {
    await mkdir(onDrive("etc/kubernetes/kubelet.conf"), { recursive: true });
    const end = await run("claim-machine");
    assert.equal(end.exitCode, 1);
    assert.match(
      end.stderr,
      /win-1 \(Administrator@127\.0\.0\.1:\d+\) cannot be used; nothing was/,
    );
    assert.match(
      end.stderr,
      /it is a node of a cluster already \(C:\/etc\/kubernetes\/kubelet\.conf/,
    );
  });

  it("find nothing to reset where no step has been", async () => {
    const end = await run("reset-machine");
    assert.equal(end.exitCode, 0, end.stderr);
    assert.match(end.stderr, /the step scripts are gone.*nothing to reset/);
  });

  it("reset it by whatever scripts are there, and remove what was copied to it", async () => {
    await cp("components/windows/steps", onDrive("kindows/steps/older"), { recursive: true });
    const pushed = `kindows/media/${"5".repeat(64)}`;
    await mkdir(onDrive(pushed), { recursive: true });
    const end = await run("reset-machine");
    assert.equal(end.exitCode, 0, end.stderr);
    assert.match(end.stderr, /win-1 is what it was before/);
    for (const gone of ["kindows/steps", pushed, "etc/kubernetes"]) {
      assert.equal(existsSync(onDrive(gone)), false, gone);
    }
  });

  it("say which key a machine shows that is not the pinned one", async () => {
    const end = await run("reset-machine", { hostKey: makeKey().publicKey });
    assert.equal(end.exitCode, 1);
    assert.match(
      end.stderr,
      /shows the host key SHA256:.* the settings pin SHA256:.*KINDOWS_GONE=win-1/,
    );
  });

  it("ask nothing of one that is gone", async () => {
    const end = await run("reset-machine", { hostKey: makeKey().publicKey, gone: "win-9, win-1" });
    assert.equal(end.exitCode, 0, end.stderr);
    assert.match(end.stderr, /win-1 is gone for good, as KINDOWS_GONE says/);
  });
});
