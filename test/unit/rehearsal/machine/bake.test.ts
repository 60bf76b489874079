import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { bakeOf, bakeText, bakedSteps } from "../../../../images/windows/bake.ts";
import { imageSoftware } from "../../../../components/windows/software.ts";
import type { Script } from "../../../../components/windows/node-step.ts";
import {
  installContainerd,
  scriptsBeforeJoin,
  setTrustedCertificate,
} from "../../../../components/windows/steps.ts";
import { imageScripts } from "../../../../images/windows/scripts-folder.ts";
import { stepsSource } from "../../../../components/node/steps-folder.ts";
import { readScript, scripts } from "../../../../rehearsal/powershell/interpreter.ts";
import { runBake } from "../../../../rehearsal/bake/run-bake.ts";
import {
  type RehearsedMachine,
  startRehearsedMachine,
} from "../../../rehearsed-machine/in-process.ts";
import { readKeptScripts } from "../../../../rehearsal/windows/kept-scripts.ts";
import { caCertificate, otherCertificate } from "./ca-certificate.ts";
import { adminKey, loginOf } from "./ssh-client.ts";
import { hostFor, runFile, scriptOnMachine } from "./step-runner.ts";

const versions = { kubernetes: "1.36.4", containerd: "2.4.2" };

/** The baked steps that do something only for scripts of the user's. */
const ofUser = [setTrustedCertificate, scriptsBeforeJoin] as readonly Script[];

/** What the CD has in its folder, and the steps that an image is baked by, on the interpreter. */
describe("the baking of a Windows image with the user's scripts, rehearsed", () => {
  const machine = hostFor("all");
  const disc = "C:\\disc\\kindows";
  const agent =
    "Copy-Item -LiteralPath (Join-Path $PSScriptRoot 'agent.txt') -Destination C:\\agent.txt\n";
  const { sha256 } = scriptOnMachine(agent);
  const put = (name: string, content: string): Promise<void> =>
    machine.windows.drive.write(`${disc}\\${name.replaceAll("/", "\\")}`, content);

  before(async () => {
    for (const [name, file] of imageScripts()) await put(name, await readFile(file, "utf8"));
    // The interpreter has no serial port.
    const [said, failed] = ["Write-SerialLine", "Write-SerialFailure"].map(
      (name) => `function ${name} { param($Message, $Exception) Write-StepProgress "$Message" }\n`,
    );
    await put("lib/SerialLog.ps1", `${said}${failed}`);
    const own = { path: "/srv/agent.ps1", sha256, when: "image", runs: "changed" } as const;
    const { steps } = bakeOf(
      imageSoftware(versions, { windowsBuild: "10.0.20348", media: machine.media }),
      [],
      {
        scripts: [{ name: "agent.ps1", ...own, files: [] }],
        certificates: [caCertificate, otherCertificate],
      },
    );
    await put("bake.json", bakeText({ steps: steps.filter(({ step }) => ofUser.includes(step)) }));
    await put(`programs/${sha256}`, agent);
    await put("programs/agent.txt", "installed");
  });

  const bake = async (): Promise<string> =>
    (await runFile(machine, `${disc}\\Invoke-Bake.ps1`)).replaceAll("\r\n", "\n");

  it("trusts the certificates, runs them with what is beside them, and keeps neither", async () => {
    assert.match(await bake(), /\{"step":"Invoke-Bake",.*"facts":\{"steps":2\}\}\n$/);
    const { drive, registry } = machine.windows;
    assert.equal(await drive.readText("C:\\agent.txt"), "installed");
    const store = registry.find("SOFTWARE\\Microsoft\\SystemCertificates\\ROOT\\Certificates");
    assert.equal(store?.keys.size, 2);
    assert.equal(await drive.isFile(`C:\\kindows\\media\\${sha256}.ps1`), false);
    assert.equal(await drive.isFile("C:\\kindows\\media\\agent.txt"), false);
  });

  it("runs them once, though the build of the image goes on after a reboot", async () => {
    await machine.windows.drive.write("C:\\agent.txt", "changed since");
    await bake();
    assert.equal(await machine.windows.drive.readText("C:\\agent.txt"), "changed since");
  });
});

describe("the baking of the rehearsal's image, over SSH", () => {
  let machine: RehearsedMachine;
  const reported: string[] = [];
  const image = "registry.k8s.io/pause:3.10.2";
  const steps = () =>
    bakeOf(imageSoftware(versions, { windowsBuild: "10.0.20348", media: machine.media }), [image])
      .steps;
  const bake = (some = steps()) =>
    runBake({ steps: some }, loginOf(machine), (line) => reported.push(line));

  beforeEach(async () => {
    reported.length = 0;
    machine = await startRehearsedMachine({ hostName: "bake", authorizedKeys: [adminKey.public] });
  });
  afterEach(() => machine.stop());

  it("leaves what every node needs", async () => {
    await bake();
    assert.equal(machine.windows.state.features.Containers, "Installed");
    assert.ok(machine.windows.services.get("containerd"));
    assert.equal(machine.windows.services.get("kubelet")?.startType, "manual");
    assert.deepEqual(reported, [
      "waits for the machine",
      ...bakedSteps.filter((step) => !ofUser.includes(step)).map(({ name }) => `baking: ${name}`),
    ]);
    assert.equal(machine.boots, 2);
    assert.deepEqual(machine.cluster.nodes, []);
  });

  it("leaves the scripts' syntax trees", async () => {
    await bake([]);
    scripts.clear();
    readKeptScripts(machine.driveC);
    for (const name of await readdir(stepsSource, { recursive: true })) {
      if (!name.endsWith(".ps1")) continue;
      const text = (await readFile(join(stepsSource, name), "utf8")).replace(/^\ufeff/, "");
      const read: unknown = JSON.parse(JSON.stringify(readScript({ path: name, text })));
      assert.deepEqual(scripts.get(text), read);
    }
  });

  it("leaves nothing for a second one to change", async () => {
    await bake();
    await bake();
    assert.equal(machine.boots, 2);
  });

  it("goes on if no registry is reachable, and lists what each node pulls itself", async () => {
    machine.programs.hasRegistries = false;
    await bake();
    assert.match(
      reported.at(-1) ?? "",
      /^warning: 1 of 1 container images were not pulled, .*pause:3\.10\.2: ctr\.exe .*no such host/,
    );
  });

  it("fails with the step's words, and says which it was", async () => {
    const wrong = steps().map((each) =>
      each.step === installContainerd
        ? { ...each, parameters: { ...each.parameters, ArchiveSha256: "0".repeat(64) } }
        : each,
    );
    await assert.rejects(bake(wrong), /Install-Containerd/);
  });
});
