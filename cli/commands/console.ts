import { hostname, userInfo } from "node:os";

import type { ConsoleOptions } from "../console/made-screen.ts";
import { screenOf, openViewer, screenAccess } from "../console/screen.ts";
import { thisHost } from "../../host/host.ts";
import { virsh } from "../../host/virsh.ts";
import { say } from "../progress.ts";
import { findLab } from "../stack-settings.ts";

/** `kindows console`: prints the address of the screen of a node's machine, opens it, or takes a picture of it. */
export async function showConsole(options: ConsoleOptions): Promise<void> {
  const { stack, node, open, screenshot } = options;
  const identity = await findLab(stack);
  if (identity === undefined) {
    return (await import("../console/made-screen.ts")).showConsole(options);
  }
  const host = thisHost(identity);
  const screen = await screenOf(host, identity, node);
  if (screenshot !== undefined) {
    return void (await virsh(host, "screenshot", screen.domain, screenshot));
  }
  const access = screenAccess(screen, identity.libvirtUri, hostname(), userInfo().username);
  // Standard output has only the address, for scripts.
  process.stdout.write(`${access.url}\n`);
  if (open) {
    say(`${await openViewer(access, process.env)} shows the screen of ${node}`);
  } else {
    say(
      `this address works on ${access.remoteHost ?? "this host"} only. On another computer, run: ${access.tunnel}\n` +
        `and open vnc://127.0.0.1:${screen.port}`,
    );
  }
}
