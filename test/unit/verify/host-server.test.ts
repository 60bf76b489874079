import assert from "node:assert/strict";

import { startHostServer } from "../../../verify/cluster/host-server.ts";

describe("the server on this host", () => {
  it("tells who asks, in words of this run", async () => {
    const server = await startHostServer("127.0.0.1");
    try {
      const answer = await (await fetch(server.url)).text();
      assert.equal(answer, `${server.greeting}127.0.0.1`);
      const other = await startHostServer("127.0.0.1");
      assert.notEqual(other.greeting, server.greeting);
      await other.stop();
    } finally {
      await server.stop();
    }
    await assert.rejects(fetch(server.url));
  });

  it("is not started on an address of another host", async () => {
    await assert.rejects(startHostServer("192.0.2.1"), /EADDRNOTAVAIL/);
  });
});
