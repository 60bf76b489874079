import { hostname, userInfo } from "node:os";

import type { Options } from "../command-line/options.ts";
import { screenOf, openViewer, wayTo } from "../console/screen.ts";
import { thisHost } from "../../host/host.ts";
import { virsh } from "../../host/virsh.ts";
import { say } from "../progress.ts";
import { findLab } from "../stack-settings.ts";

export interface ConsoleOptions extends Options<"open"> {
  readonly node: string;
  readonly screenshot?: string;
}

/** `kindows console`: prints the address of the screen of a node's machine, opens it, or takes a picture of it. */
export async function showConsole(options: ConsoleOptions): Promise<void> {
  const { stack, node, open, screenshot } = options;
  const identity = await findLab(stack);
  if (identity === undefined) {
    return (await import("../machines-made/console.ts")).showConsole(options);
  }
  const host = thisHost(identity);
  const screen = await screenOf(host, identity, node);
  if (screenshot !== undefined) {
    return void (await virsh(host, "screenshot", screen.domain, screenshot));
  }
  const way = wayTo(screen, identity.libvirtUri, hostname(), userInfo().username);
  // The address alone on standard output, for scripts.
  process.stdout.write(`${way.url}\n`);
  if (open) {
    say(`${await openViewer(way, process.env)} shows the screen of ${node}`);
  } else {
    say(
      `on ${way.remoteHost ?? "this host"} only. From another computer: ${way.tunnel}\n` +
        `then open vnc://127.0.0.1:${screen.port} there`,
    );
  }
}
