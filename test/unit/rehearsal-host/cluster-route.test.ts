import assert from "node:assert/strict";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { PowerLost } from "../../../rehearsal/host/power-lost.ts";
import { isNeighbour, parseRoutes, routeText } from "../../../rehearsal/host/routes.ts";
import { listing } from "./machine-listing.ts";
import { runStep, startWithSteps, type StepRun } from "./step-runner.ts";

const record = "C:\\kindows\\state\\routes.json";
const pods = "10.244.0.0/16=192.168.150.128";
const services = "10.96.0.0/16=192.168.150.128";

describe("Set-ClusterRoute, rehearsed", () => {
  let host: RehearsalHost;
  beforeEach(async () => {
    host = await startWithSteps();
  });
  afterEach(() => host.stop());

  const set = (routes: string): Promise<StepRun> =>
    runStep(host, "Set-ClusterRoute", ["-Route", `"${routes}"`]);
  const inForce = (): string[] => host.programs.routes.map(routeText);

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
      const result = await set(routes);
      assert.deepEqual(
        [result.exitCode, result.changed],
        [0, changed],
        `${routes} ${result.stderr}`,
      );
      assert.equal(result.facts["routes"], routes);
      assert.deepEqual(inForce().sort(), parseRoutes(routes).map(routeText).sort());
      const written = await host.windows.drive.readText(record);
      const expected = routes === "" ? undefined : JSON.stringify({ routes: routes.split(";") });
      assert.equal(written, expected);
    }
  });

  it("the routes are back after a reboot", async () => {
    await set(`${pods};${services}`);
    host.programs.routes = [];
    await host.programs.reboot(0);
    await host.up();
    assert.deepEqual(inForce(), [pods, services]);
  });

  it("leaves alone what somebody else has made, also where it is the very route wanted", async () => {
    const theirs = ["0.0.0.0/0=192.168.150.1", pods];
    for (const route of theirs.flatMap(parseRoutes)) await host.windows.settings.addRoute(route);
    assert.equal((await set(`${pods};${services}`)).changed, true);
    assert.equal((await set("")).changed, true);
    assert.deepEqual(host.windows.settings.routes.map(routeText), theirs);
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
      host.programs.ownAddresses = ["127.0.0.1", "192.168.150.10"];
      for (const each of theirs) await host.windows.settings.addRoute(each);
      const before = await listing(host);
      const result = await set(`10.245.0.0/16=192.168.150.128;${route}`);
      assert.equal(result.errorCode, code);
      assert.match(result.errorMessage, message);
      assert.notEqual(result.remedy, "");
      assert.deepEqual(await listing(host), before);
    });
  }

  it("refuses what is no list of routes", async () => {
    for (const bad of ["10.244.0.0=192.168.150.128", "10.244.0.0/16", "a/16=b", `${pods};`]) {
      assert.equal((await set(bad)).exitCode, 1, bad);
    }
  });

  it("knows its own after a run that was cut short", async () => {
    await host.stop();
    host = await startWithSteps({ faults: [{ kind: "reboot", step: "Set-ClusterRoute" }] });
    await assert.rejects(set(pods), PowerLost);
    await host.up();
    assert.equal((await set(pods)).changed, true);
    assert.equal((await set("")).changed, true);
    assert.deepEqual(host.windows.settings.routes, []);
  });

  it("is undone by Reset-Node, which leaves somebody else's", async () => {
    for (const route of parseRoutes("0.0.0.0/0=192.168.150.1")) {
      await host.windows.settings.addRoute(route);
    }
    const before = await listing(host);
    await set(`${pods};${services}`);
    const result = await runStep(host, "Reset-Node");
    const removed = result.facts["removed"] as string[];
    for (const range of ["10.244.0.0/16", "10.96.0.0/16"]) {
      assert.ok(removed.includes(`route to ${range}`), removed.join());
    }
    assert.deepEqual(await listing(host), before);
    assert.deepEqual(inForce(), ["0.0.0.0/0=192.168.150.1"]);
  });
});

describe("a neighbour of a machine", () => {
  const own = ["127.0.0.1/8", "192.168.150.10/24", "172.20.16.1/20", "10.9.9.9/32"];
  const addresses: readonly [address: string, neighbour: boolean][] = [
    ["192.168.150.128", true],
    ["172.20.31.254", true],
    ["172.20.32.1", false],
    ["192.168.151.1", false],
    ["192.168.150.10", false],
    ["10.9.9.8", false],
  ];
  for (const [address, neighbour] of addresses) {
    it(`${address} is ${neighbour ? "one" : "none"}`, () => {
      assert.equal(isNeighbour(address, own), neighbour);
    });
  }
  it("is known by an IPv4 address only", () => {
    assert.throws(() => isNeighbour("control-plane", own), /"control-plane" is no IPv4 address/);
  });
});
