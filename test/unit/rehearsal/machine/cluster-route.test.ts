import assert from "node:assert/strict";
import type { Route } from "../../../../rehearsal/machine/state.ts";
import { addRoute, listing, routeText } from "./machine-listing.ts";
import { assertDone, assertFails, runStep, hostFor, type StepRun } from "./step-runner.ts";

const record = "C:\\kindows\\state\\routes.json";
const pods = "10.244.0.0/16=192.168.150.128";
const noAddresses = [
  "10.244.0.0/16=192.168.150.300",
  "10.256.0.0/16=192.168.150.1",
  "10.0.0.0/33=10.0.0.1",
];
const services = "10.96.0.0/16=192.168.150.128";

/** Routes as the steps write them, separated by semicolons. */
function parseRoutes(text: string): Route[] {
  return text
    .split(";")
    .filter((each) => each !== "")
    .map((each) => {
      const [destination = "", nextHop = ""] = each.split("=", 2);
      return { destination, nextHop };
    });
}

describe("Set-ClusterRoute, rehearsed", () => {
  const machine = hostFor("each");

  const set = (routes: string): Promise<StepRun> =>
    runStep(machine, "Set-ClusterRoute", ["-Route", `"${routes}"`]);
  const inForce = (): string[] => machine.programs.routes.map(routeText);

  it("makes, changes and removes routes, and writes its own down", async () => {
    const steps: readonly [routes: string, changed: boolean][] = [
      ["", false],
      [`${pods};${services}`, true],
      [`${pods};${services}`, false],
      [`${services};10.244.0.0/16=192.168.150.129`, true],
      [services, true],
      ["", true],
      ["", false],
    ];
    for (const [routes, changed] of steps) {
      await assertDone(set(routes), changed, { routes });
      assert.deepEqual(inForce().sort(), parseRoutes(routes).map(routeText).sort());
      const written = await machine.windows.drive.readText(record);
      const expected = routes === "" ? undefined : JSON.stringify({ routes: routes.split(";") });
      assert.equal(written, expected);
    }
  });

  it("the routes are back after a reboot", async () => {
    await set(`${pods};${services}`);
    machine.programs.routes = [];
    await machine.programs.reboot(0);
    await machine.up();
    assert.deepEqual(inForce(), [pods, services]);
  });

  it("leaves a route of somebody else alone, even if it is the wanted one", async () => {
    const theirs = ["0.0.0.0/0=192.168.150.1", pods];
    for (const route of theirs.flatMap(parseRoutes)) addRoute(machine.windows, route);
    await assertDone(set(`${pods};${services}`), true);
    await assertDone(set(""), true);
    assert.deepEqual(machine.windows.state.routes.map(routeText), theirs);
  });

  it("leaves a route of somebody else alone that is not persistent", async () => {
    machine.windows.routesInForce.push(...parseRoutes(pods));
    await assertDone(set(pods), false);
    await assertDone(set(""), false);
    assert.deepEqual(machine.windows.routesInForce.map(routeText), [pods]);
  });

  it("does without a record that a power cut has left empty or half written", async () => {
    for (const text of ["", '{"routes":["10.2']) {
      await machine.windows.drive.write(record, text);
      await assertDone(set(pods));
      await assertDone(set(""), true);
    }
  });

  const refused: readonly [name: string, route: string, code: string, message: RegExp][] = [
    [
      "a next hop that is no neighbour",
      "10.244.0.0/16=192.168.151.128",
      "NextHopOffSegment",
      /192\.168\.151\.128 is to carry .*no neighbour.*192\.168\.150\.10\/24/,
    ],
    ["the machine itself as next hop", "10.244.0.0/16=192.168.150.10", "NextHopOffSegment", /./],
    [
      "a range that somebody else's route leads to",
      services,
      "ForeignRoute",
      /route to 10\.96\.0\.0\/16 by way of 192\.168\.150\.7; it must be 192\.168\.150\.128/,
    ],
  ];
  for (const [name, route, code, message] of refused) {
    it(`refuses ${name}, and changes nothing`, async () => {
      const theirs = parseRoutes("10.96.0.0/16=192.168.150.7");
      // One that has two addresses on a segment is its own neighbour by the other.
      machine.programs.ownAddresses = ["127.0.0.1", "192.168.150.10"];
      for (const each of theirs) addRoute(machine.windows, each);
      const before = await listing(machine);
      await assertFails(set(`10.245.0.0/16=192.168.150.128;${route}`), code, message);
      assert.deepEqual(await listing(machine), before);
    });
  }

  it("refuses what is no list of routes", async () => {
    for (const bad of [
      "10.244.0.0=192.168.150.128",
      "10.244.0.0/16",
      "a/16=b",
      `${pods};`,
      ...noAddresses,
    ]) {
      assert.equal((await set(bad)).exitCode, 1, bad);
    }
  });

  it("is undone by Reset-Node, which leaves somebody else's", async () => {
    for (const route of parseRoutes("0.0.0.0/0=192.168.150.1")) addRoute(machine.windows, route);
    const before = await listing(machine);
    await set(`${pods};${services}`);
    const result = await runStep(machine, "Reset-Node");
    const removed = result.facts["removed"] as string[];
    for (const range of ["10.244.0.0/16", "10.96.0.0/16"]) {
      assert.ok(removed.includes(`route to ${range}`), removed.join());
    }
    assert.deepEqual(await listing(machine), before);
    assert.deepEqual(inForce(), ["0.0.0.0/0=192.168.150.1"]);
  });
});
