import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { WineMachine } from "./wine-machine.ts";
import { WineServiceRegistry } from "./wine-service-registry.ts";

const folder = "C:\\Program Files\\containerd";
const logPath = "C:\\var\\log\\containerd\\containerd.log";

/** Arguments that a script gives a program, its variables replaced. */
function scriptArguments(
  file: string,
  pattern: RegExp,
  variables: Readonly<Record<string, string>>,
): string[] {
  const script = readFileSync(`components/windows/steps/${file}`, "utf8");
  const list = pattern.exec(script)?.[1] ?? "";
  return list.split(", ").map((each) => variables[each] ?? each.replace(/^'(.*)'$/, "$1"));
}

describe("Wine's service manager, with what the steps register", () => {
  let machine: WineMachine;
  let registry: WineServiceRegistry;

  before(async () => {
    machine = await WineMachine.start();
    registry = new WineServiceRegistry(machine.wine);
    await machine.installContainerd();
    await machine.installKubernetes();
  });
  after(() => machine.stop());

  /** The registry has of a service what the model has. */
  async function assertRegistered(name: string): Promise<void> {
    const { commandLine, displayName, description, startType } =
      machine.windows.services.get(name) ?? {};
    const expected = { commandLine, displayName, description, startType };
    assert.deepEqual(await registry.read(name), expected);
  }

  it("has of containerd.exe, which registers itself, what the model says of the service", async () => {
    const args = scriptArguments(
      "Install-Containerd.ps1",
      /-FilePath \$program `\n +-ArgumentList ('--register-service'[^`\n]*[^`\n ])/,
      { $configPath: `${folder}\\config.toml`, $ContainerdLogPath: logPath },
    );
    const registered = await machine.run(`${folder}\\containerd.exe`, args);
    assert.equal(registered.exitCode, 0, registered.stderr);
    await assertRegistered("containerd");
  });

  it("takes kubelet's whole command line as it is", async () => {
    const service = machine.windows.services.get("kubelet");
    assert.ok(service);
    await registry.create("kubelet", service);
    await assertRegistered("kubelet");
  });

  // Wine's sc.exe knows no failureflag, and its service manager keeps no recovery actions: what can be tested is that
  // these words are taken.
  for (const restart of [true, false]) {
    it(`takes the recovery actions of a service that ${restart ? "is" : "is not"} started again`, async () => {
      const actions = /if \(\$Restart\) \{ '([^']+)' \} else \{ '([^']*)' \}/.exec(
        readFileSync("components/windows/steps/lib/ServiceSettings.ps1", "utf8"),
      );
      const args = scriptArguments(
        "lib/ServiceSettings.ps1",
        /-ArgumentList ('failure', [^`\n]*[^`\n ])/,
        { $Name: "kubelet", $actions: actions?.[restart ? 1 : 2] ?? "none found" },
      );
      assert.equal(args.length, 6);
      await registry.control(...args);
      await assert.rejects(registry.control("failure", "nobody", ...args.slice(2)));
    });
  }

  it("forgets them when they are deleted, and knows a name no more then", async () => {
    for (const name of ["kubelet", "containerd"]) {
      await registry.control("delete", name);
      assert.equal(await registry.read(name), undefined);
    }
  });
});
