import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { uptime } from "node:os";
createServer((socket) => socket.end("SSH-2.0-stub\r\n")).listen(22, "0.0.0.0", () => {
  console.log(`rehearsal guest: stub SSH, ${uptime()} s; ${readFileSync("/run/identity/user-data", "utf8").length} bytes of identity; node up ${process.uptime()}`);
});
