import assert from "node:assert/strict";
import {
  addressesOf,
  isMisplaced,
  startWithAddresses,
} from "../../../components/controlplane/kept-addresses.ts";
import { eachCase } from "../each-case.ts";

interface Container {
  kept?: string;
  /** Undefined: it does not run. */
  address?: string | undefined;
  asked?: string | undefined;
  network?: string | undefined;
}

/** Docker, as far as it gives addresses: any free one, the lowest first, unless the container asks for one. */
class Docker {
  readonly started: string[] = [];

  constructor(readonly containers: Readonly<Record<string, Container>>) {
    for (const each of Object.values(containers)) each.network = "lab";
  }

  run = (args: readonly string[]): Promise<string> => Promise.resolve().then(() => this.#run(args));

  #run(args: readonly string[]): string {
    const name = args.at(-1) ?? "";
    switch (
      args
        .slice(0, 2)
        .join(" ")
        .replace(/ --.*/, "")
        .replace(/^(cp|start|stop) .*/, "$1")
    ) {
      case "inspect":
        return this.#inspected(name);
      case "cp": {
        const kept = this.containers[args[1]?.split(":")[0] ?? ""]?.kept;
        if (kept === undefined) throw new Error("no such file");
        return `${"kindows-address".padEnd(512, "\0")}${kept}${"\0".repeat(500)}`;
      }
      case "stop":
        args.slice(3).forEach((each) => (this.#of(each).address = undefined));
        return "";
      case "network disconnect":
        Object.assign(this.#of(name), { asked: undefined, network: undefined });
        return "";
      case "network connect":
        Object.assign(this.#of(name), { asked: args[3], network: "lab" });
        return "";
      case "start":
        args.slice(1).forEach((each) => {
          this.#start(each);
        });
        return "";
      default:
        return assert.fail(`docker ${args.join(" ")}`);
    }
  }

  #of(name: string): Container {
    return this.containers[name] ?? assert.fail(`there is no ${name}`);
  }

  #inspected(name: string): string {
    const { address = "", asked, network } = this.#of(name);
    const endpoint = { IPAddress: address, IPAMConfig: asked ? { IPv4Address: asked } : null };
    const Networks = network === undefined ? {} : { [network]: endpoint };
    return JSON.stringify([{ State: { Running: address !== "" }, NetworkSettings: { Networks } }]);
  }

  #start(name: string): void {
    const container = this.#of(name);
    const taken = Object.values(this.containers).map(({ address }) => address);
    const free = ["10.0.0.2", "10.0.0.3", "10.0.0.4"].find((each) => !taken.includes(each));
    const address = container.asked ?? free;
    if (taken.includes(address)) throw new Error(`Address already in use: ${address}`);
    container.address = address;
    this.started.push(name);
  }

  addresses(): Record<string, string | undefined> {
    const entries = Object.entries(this.containers);
    return Object.fromEntries(entries.map(([name, { address }]) => [name, address]));
  }
}

const right = { cp: "10.0.0.2", cp2: "10.0.0.3", cp3: "10.0.0.4" };

describe("containers keep their addresses", () => {
  type Case = readonly [there: Readonly<Record<string, Container>>, started: readonly string[]];
  const kept = (name: keyof typeof right, address?: string, asked?: string): Container => ({
    kept: right[name],
    address,
    asked,
  });
  const cases: Readonly<Record<string, Case>> = {
    "none was ever stopped": [
      {
        cp: kept("cp", "10.0.0.2"),
        cp2: kept("cp2", "10.0.0.3"),
        cp3: kept("cp3", "10.0.0.4"),
      },
      [],
    ],
    "all are off": [{ cp: kept("cp"), cp2: kept("cp2"), cp3: kept("cp3") }, ["cp", "cp2", "cp3"]],
    "Docker has exchanged two": [
      {
        cp: kept("cp", "10.0.0.3"),
        cp2: kept("cp2", "10.0.0.2"),
        cp3: kept("cp3", "10.0.0.4"),
      },
      ["cp", "cp2"],
    ],
    "one is off and another has its address": [
      { cp: kept("cp"), cp2: kept("cp2", "10.0.0.2"), cp3: kept("cp3", "10.0.0.4") },
      ["cp", "cp2"],
    ],
    "they were started again before": [
      {
        cp: kept("cp", undefined, "10.0.0.2"),
        cp2: kept("cp2", "10.0.0.3", "10.0.0.3"),
        cp3: kept("cp3", undefined, "10.0.0.4"),
      },
      ["cp", "cp3"],
    ],
  };
  eachCase("%s", cases, async ([there, started]) => {
    const docker = new Docker(structuredClone(there));
    const said: string[] = [];
    await startWithAddresses(docker.run, Object.keys(right), Object.keys(right), (line) => {
      said.push(line);
    });
    assert.deepEqual(docker.addresses(), right);
    assert.deepEqual(docker.started, started);
    assert.equal((await addressesOf(docker.run, Object.keys(right))).some(isMisplaced), false);
  });

  it("a container that was never complete gets any address", async () => {
    const docker = new Docker({ cp: { kept: "10.0.0.2", address: "10.0.0.2" }, cp2: {} });
    await startWithAddresses(docker.run, ["cp", "cp2"], ["cp2"], () => undefined);
    assert.deepEqual(docker.addresses(), { cp: "10.0.0.2", cp2: "10.0.0.3" });
  });

  it("starts only what it is asked for", async () => {
    const docker = new Docker({ cp: { kept: "10.0.0.2" }, cp2: { kept: "10.0.0.3" } });
    await startWithAddresses(docker.run, ["cp", "cp2"], ["cp2"], () => undefined);
    assert.deepEqual(docker.addresses(), { cp: undefined, cp2: "10.0.0.3" });
  });
});
