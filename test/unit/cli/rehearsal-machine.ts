import type { SshSource } from "../../../ssh/run-over-ssh.ts";
import type { RehearsalHost } from "../../rehearsed-machine/in-process.ts";
import { adminKey } from "../rehearsal-host/ssh-client.ts";

/** How a rehearsed machine is logged in to. */
export const loginOf = (host: RehearsalHost): SshSource => ({
  host: "127.0.0.1",
  port: host.port,
  user: "Administrator",
  privateKey: adminKey.private,
  hostKey: host.hostKey,
});
