import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

import { overSsh } from "../../../../host/ssh/run-over-ssh.ts";
import { makeKey, SshServer } from "../../../engine/plugins/support/ssh-server.ts";

describe("a connection to a machine", () => {
  it("is closed also where the machine has lost its power meanwhile, and does not answer", async () => {
    const [hostKey, key] = [makeKey(), makeKey()];
    const machine = await SshServer.start({ hostKey, authorizedKeys: [key.publicKey] });
    const ends: Socket[] = [];
    // Passes everything on but the end of a connection.
    const cable = createServer({ allowHalfOpen: true }, (socket) => {
      const far = connect({ port: machine.port, host: "127.0.0.1", allowHalfOpen: true });
      ends.push(socket, far);
      for (const end of ends) end.on("error", () => undefined);
      socket.pipe(far, { end: false });
      far.pipe(socket, { end: false });
    });
    cable.listen(0, "127.0.0.1");
    await once(cable, "listening");
    const { port } = cable.address() as AddressInfo;
    const login = { host: "127.0.0.1", port, user: "admin", hostKey: hostKey.publicKey };
    try {
      const closed = await overSsh({ ...login, privateKey: key.privateKey }, 30, (client) =>
        Promise.resolve([once(client, "close")]),
      );
      await Promise.all(closed);
      assert.equal(closed.length, 1);
    } finally {
      for (const end of ends) end.destroy();
      cable.close();
      await machine.stop();
    }
  });
});
