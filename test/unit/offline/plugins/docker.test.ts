import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";

import { Plugin, type Resource } from "../../../engine/plugins/support/plugin.ts";
import { official } from "../../../engine/plugins/support/engine.ts";
import { eachCase } from "../../each-case.ts";
import { inNewFolder } from "../../new-folder.ts";

/** Answers to requests, in turn; the last one stays. */
type Answers = Readonly<Record<string, readonly (readonly [status: number, body?: object])[]>>;

const inUse = "network lab has active endpoints";
const created: Answers = { "POST /networks/create": [[201, { Id: "f00d" }]] };
const there: Answers = { "GET /networks/f00d": [[200, { Id: "f00d" }]] };
const gone: Answers = { "GET /networks/f00d": [[404, { message: "no such network" }]] };

describe("docker.Network, and what Docker answers", function () {
  const at = inNewFolder();
  let server: http.Server | undefined;
  let plugin: Plugin;
  let asked: string[] = [];

  before(function () {
    // The official plugin asks Docker other questions.
    if (official) this.skip();
  });
  afterEach(async () => {
    await plugin.stop();
    server?.close();
  });

  async function made(answers: Answers): Promise<Resource> {
    const left = new Map(
      Object.entries({ ...created, ...answers }).map(([at, each]) => [at, [...each]]),
    );
    asked = [];
    server = http.createServer((request, response) => {
      const what = `${request.method} ${request.url}`;
      asked.push(what);
      const each = left.get(what) ?? [];
      const [status, body] = (each.length > 1 ? each.shift() : each[0]) ?? [500];
      response.writeHead(status).end(body && JSON.stringify(body));
    });
    const socket = at(`docker-${String(Math.random()).slice(2)}.sock`);
    server.listen(socket);
    await once(server, "listening");
    plugin = await Plugin.start("docker", { host: `unix://${socket}` });
    return plugin.resource("docker:index/network:Network", "lab");
  }

  it("is deleted once no container uses it any more", async () => {
    const network = await made({
      ...there,
      "DELETE /networks/f00d": [[403, { message: inUse }], [403, { message: inUse }], [204]],
    });
    await network.up({ name: "lab" });
    await network.delete();
    assert.deepEqual(asked.slice(-1), ["DELETE /networks/f00d"]);
    assert.equal(asked.filter((each) => each.startsWith("DELETE")).length, 3);
    assert.deepEqual(
      plugin.messages.map(({ text }) => text.includes(inUse)),
      [true],
    );
  });

  it("is deleted where somebody has removed it already", async () => {
    const network = await made({ ...gone, "DELETE /networks/f00d": [[404, { message: "no" }]] });
    await network.up({ name: "lab" });
    await network.delete();
    assert.deepEqual(asked.slice(-2), ["DELETE /networks/f00d", "GET /networks/f00d"]);
  });

  const failures: Readonly<Record<string, readonly [Answers, RegExp]>> = {
    "a name that is taken": [
      { "POST /networks/create": [[409, { message: "network with name lab already exists" }]] },
      /Docker at unix:\/\/.*: network with name lab already exists/,
    ],
    "an error without a message": [{ "POST /networks/create": [[500, {}]] }, /: status 500/],
    "no JSON": [{ "POST /networks/create": [[200]] }, /Id|expected/],
  };
  eachCase("reports %s", failures, async ([answers, error]) =>
    assert.rejects((await made(answers)).up({ name: "lab" }), error),
  );
});
