import assert from "node:assert/strict";
import { execa } from "execa";

import { listen } from "../../../../offline/plugins/protocol/plugin-server.ts";

/** Sends the beginning of HTTP/2, and prints whether there is an answer. */
const client = `
const socket = require("net").connect(Number(process.argv[1]), "127.0.0.1");
socket.on("connect", () => socket.write("PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n"));
socket.on("data", () => { console.log("answered"); process.exit(); });
socket.on("error", () => undefined);
socket.on("close", () => console.log("closed"));
if (process.argv[2] === "half") socket.end("PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n");
`;

describe("a plugin's port", () => {
  let server: Awaited<ReturnType<typeof listen>>;
  before(async () => (server = await listen(() => undefined)));
  after(() => server.close());

  const connect = async (uid: number | undefined, how = "whole"): Promise<string> => {
    const args = ["-e", client, String(server.port), how];
    const user = uid === undefined ? {} : { uid, gid: uid };
    return (await execa("/proc/self/exe", args, { ...user, argv0: "node" })).stdout;
  };

  it("answers this user", async () => assert.equal(await connect(undefined), "answered"));

  for (const how of ["whole", "half"]) {
    it(`answers no other user, whose connection is ${how} open`, async function () {
      // Only root can become another user.
      if (process.getuid?.() !== 0) this.skip();
      assert.equal(await connect(65534, how), "closed");
    });
  }
});
