import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { LabWatch } from "../../../../components/machine/kubevirt/lab-watch.ts";
import { ApiError, type ApiRequest, ClusterApi } from "../../../../host/kubernetes/cluster-api.ts";
import { labWith } from "./kubevirt-lab.ts";

/** Pause before the API server is asked again, in milliseconds. */
const pause = 20;

type Tell = (event: object) => void;

/** An API server without objects, which tells watches of machines what the test says. */
class ScriptedApi extends ClusterApi {
  /** About machines. */
  readonly asked: string[] = [];
  #version = 0;

  /** @param watches what each does, the last one again and again. */
  constructor(private readonly watches: readonly ((tell: Tell) => Promise<void>)[]) {
    super(() => Promise.reject(new Error("there is none")));
  }

  override request<T>(_: string, path: string): Promise<T> {
    if (path.endsWith("/virtualmachines")) {
      this.#version += 1;
      this.asked.push("list");
    }
    return Promise.resolve({ metadata: { resourceVersion: `${this.#version}` }, items: [] } as T);
  }

  override async watch<T>(
    path: string,
    { query, signal }: Pick<ApiRequest, "query" | "signal">,
    event: (event: T) => void,
  ): Promise<void> {
    if (!path.endsWith("/virtualmachines")) return untilEnd(signal);
    const index = this.asked.filter((each) => each !== "list").length;
    this.asked.push(`watch from ${query?.["resourceVersion"]}`);
    await (this.watches[index] ?? this.watches.at(-1))?.(event as Tell);
  }
}

const untilEnd = async (signal?: AbortSignal): Promise<void> => {
  await sleep(60_000, undefined, { signal }).catch(() => undefined);
};

const machine = (resourceVersion: string): object => ({
  metadata: { name: "kindows-prod-win-1", uid: "1", resourceVersion },
});

describe("a watch of machines on KubeVirt", () => {
  const found = async (tell: Tell): Promise<void> => {
    tell({ type: "ADDED", object: machine("9") });
    await untilEnd(AbortSignal.timeout(50));
  };
  const error = (code: number, message: string): object => ({
    type: "ERROR",
    object: { code, message },
  });
  const again = ["list", "watch from 1", "list", "watch from 2"];
  const ends: Readonly<
    Record<string, readonly [watch: (tell: Tell) => Promise<void>, asked: string[], told?: string]>
  > = {
    "the API server has ended it, from the last version on": [
      (tell) => Promise.resolve(tell({ type: "BOOKMARK", object: machine("7") })),
      ["list", "watch from 1", "watch from 7"],
    ],
    "its version was too old": [() => Promise.reject(new ApiError(410, "too old")), again],
    "its version has become too old": [
      (tell) => Promise.resolve(tell(error(410, "too old resource version"))),
      again,
    ],
    "the API server failed": [
      (tell) => Promise.resolve(tell(error(500, "etcdserver: no leader"))),
      again,
      "there is none; the cluster does not answer: etcdserver: no leader",
    ],
    "the connection was lost": [
      () => Promise.reject(new Error("socket hang up")),
      again,
      "there is none; the cluster does not answer: socket hang up",
    ],
  };
  for (const [what, [watch, asked, said]] of Object.entries(ends)) {
    it(`goes on where ${what}`, async () => {
      const api = new ScriptedApi([watch, found]);
      const told: string[] = [];
      const wait = { what: "it", seconds: 20, onChange: (seen: string) => told.push(seen) };
      const lab = await LabWatch.open(api, labWith(), pause);
      await lab.until(wait, [], ({ machines }) =>
        machines.has("kindows-prod-win-1") ? { found: true } : "there is none",
      );
      assert.deepEqual(api.asked, asked);
      const expected = said === undefined ? [] : [said, "there is none"];
      assert.deepEqual(told, ["there is none", ...expected]);
    });
  }

  it("does not become a poll where something ends each at once", async () => {
    const api = new ScriptedApi([() => Promise.resolve()]);
    const began = performance.now();
    const lab = await LabWatch.open(api, labWith(), pause);
    const wait = { what: "it", seconds: 0.5, onChange: () => undefined };
    await assert.rejects(
      lab.until(wait, [], () => "no"),
      /waited 0\.5 s for it; last seen: no$/,
    );
    const most = (performance.now() - began) / pause + 2;
    assert.ok(api.asked.length <= most, `${api.asked.length} requests`);
  });
});
