import assert from "node:assert/strict";
import { caCertificate, otherCertificate } from "./ca-certificate.ts";
import { assertDone, assertFails, hostFor, plantFaults, runStep } from "./step-runner.ts";

const store = "SOFTWARE\\Microsoft\\SystemCertificates\\ROOT\\Certificates";
const record = "C:\\kindows\\state\\certificates.json";

describe("Set-TrustedCertificate, rehearsed", () => {
  const machine = hostFor("each");
  const both = [caCertificate, otherCertificate];

  const set = (
    certificates: readonly { readonly sha1: string; readonly der: string }[],
    input: unknown = { certificates: certificates.map(({ der }) => der) },
  ) => {
    const names = certificates.map(({ sha1 }) => sha1).join(";");
    const args = ["-Thumbprints", `"${names}"`];
    return runStep(machine, "Set-TrustedCertificate", args, JSON.stringify(input));
  };
  const trusted = (): string[] =>
    [...(machine.windows.registry.find(store)?.keys.values() ?? [])].map(({ name }) => name).sort();
  const sha1s = both.map(({ sha1 }) => sha1).sort();

  it("adds them once, takes out what is not wanted any more, and leaves nothing", async () => {
    await assertDone(set(both), true, { thumbprints: both.map(({ sha1 }) => sha1).join(";") });
    assert.deepEqual(trusted(), sha1s);
    await assertDone(set(both), false);
    await assertDone(set([otherCertificate]), true);
    assert.deepEqual(trusted(), [otherCertificate.sha1]);
    await assertDone(set([]), true);
    assert.deepEqual(trusted(), []);
    assert.equal(await machine.windows.drive.isFile(record), false);
    await assertDone(set([]), false);
  });

  it("leaves one that was there before, with the step and with a reset", async () => {
    machine.windows.registry.make(`${store}\\${caCertificate.sha1}`).set("Blob", "x", "String");
    await assertDone(set(both), true);
    await assertDone(runStep(machine, "Reset-Node"), true);
    assert.deepEqual(trusted(), [caCertificate.sha1]);
  });

  it("goes on after it was cut short, and knows what it had added", async () => {
    await plantFaults(machine, { kind: "fail", step: "Set-TrustedCertificate" });
    assert.equal((await set(both)).exitCode, 10);
    await assertDone(set(both));
    assert.deepEqual(trusted(), sha1s);
    await assertDone(runStep(machine, "Reset-Node"), true);
    assert.deepEqual(trusted(), []);
  });

  it("adds one again that somebody has taken out", async () => {
    await assertDone(set(both), true);
    machine.windows.registry.remove(`${store}\\${caCertificate.sha1}`);
    await assertDone(set(both), true);
    assert.deepEqual(trusted(), sha1s);
  });

  it("takes none that standard input does not have", async () => {
    for (const input of [{}, { certificates: [caCertificate.der] }, null]) {
      await assertFails(set(both, input), "SecretMissing", /does not have 2 certificates/);
    }
    assert.equal(
      (await runStep(machine, "Set-TrustedCertificate", ["-Thumbprints", "ab"])).exitCode,
      1,
    );
    assert.deepEqual(trusted(), []);
  });

  it("says so if Windows has not added it", async () => {
    const { registry } = machine.windows;
    const elsewhere = registry.make("SOFTWARE\\elsewhere");
    registry.make = () => elsewhere;
    await assertFails(set([caCertificate]), "CommandFailed", /has not added the certificate/);
  });
});
