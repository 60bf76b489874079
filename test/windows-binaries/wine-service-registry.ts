import type { Service } from "../../rehearsal/host/state.ts";
import type { TestWine } from "./test-wine.ts";

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
export class WineServiceRegistry {
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
