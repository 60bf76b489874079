import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import type { Service } from "../../rehearsal/host/state.ts";
import type { TestWine } from "./wine.ts";
import { WineMachine } from "./wine-machine.ts";

const services = "HKLM\\SYSTEM\\CurrentControlSet\\Services";

/** Start types as they stand in the registry, and as sc.exe calls them. */
const startTypes = [
  ["0x2", "auto", "auto"],
  ["0x3", "manual", "demand"],
  ["0x4", "disabled", "disabled"],
] as const;

/** What the registry has of a service besides what Wine's sc.exe can't be told: dependencies and recovery. */
type Registered = Pick<Service, "commandLine" | "displayName" | "description" | "startType">;

/** What Wine's own service manager knows, by its sc.exe and reg.exe; the rehearsal's is the model's. */
class WineServiceRegistry {
  constructor(private readonly wine: TestWine) {}

  /** Runs sc.exe. @throws with what it says where it refuses. */
  async control(...args: string[]): Promise<void> {
    const { exitCode, stdout, stderr } = await this.wine.runOwn("sc.exe", args);
    if (exitCode !== 0) throw new Error(`sc.exe ${args.join(" ")}: ${exitCode} ${stdout}${stderr}`);
  }

  /** Registers a service as New-Service does. */
  async create(name: string, service: Registered): Promise<void> {
    const start = startTypes.find(([, type]) => type === service.startType)?.[2] ?? "";
    await this.control(
      ...["create", name, "binPath=", service.commandLine, "DisplayName=", service.displayName],
      ...["start=", start],
    );
    await this.control("description", name, service.description);
  }

  /** A service as it stands in the registry; undefined where there is none. */
  async read(name: string): Promise<Registered | undefined> {
    const args = ["query", `${services}\\${name}`];
    const { exitCode, stdout } = await this.wine.runOwn("reg.exe", args);
    if (exitCode !== 0) return undefined;
    const values = new Map(
      [...stdout.matchAll(/^ {4}(\S+) {4}REG_\w+ {4}(.*?)\r?$/gm)].map(
        ([, key = "", value = ""]) => [key, value],
      ),
    );
    const text = (key: string): string => values.get(key) ?? "";
    const startType = startTypes.find(([start]) => start === text("Start"))?.[1];
    if (startType === undefined) throw new Error(`${name} has no known start type:\n${stdout}`);
    return {
      commandLine: text("ImagePath"),
      displayName: text("DisplayName"),
      description: text("Description"),
      startType,
    };
  }
}

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
