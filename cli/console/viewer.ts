import { spawn } from "node:child_process";
import { once } from "node:events";

import { findOnPath } from "../../host/search-path.ts";
import { Failure } from "../../host/failure.ts";
import type { Way } from "./way.ts";

/** Programs that show a VNC screen, and the Debian packages they are in; the first that is there is taken. */
const viewers: readonly {
  readonly program: string;
  readonly debianPackage: string;
  readonly argument: (way: Way) => string;
}[] = [
  { program: "remote-viewer", debianPackage: "virt-viewer", argument: ({ url }) => url },
  {
    program: "vncviewer",
    debianPackage: "tigervnc-viewer",
    argument: ({ target }) => target,
  },
];

/**
 * Opens a viewer, which stays when this program ends.
 *
 * @returns its name.
 * @throws Failure when there is none, or no display to open it on.
 */
export async function openViewer(way: Way, environment: NodeJS.ProcessEnv): Promise<string> {
  const hint = `look from another computer instead: ${way.tunnel}, then open ${way.url} there`;
  if (way.remoteHost !== undefined) {
    throw new Failure(`the machine's screen is on another host; run: ${way.tunnel}`);
  }
  if (!environment["DISPLAY"] && !environment["WAYLAND_DISPLAY"]) {
    throw new Failure(`there is no display to open a viewer on; ${hint}`);
  }
  for (const { program, argument } of viewers) {
    const found = await findOnPath(program, environment["PATH"] ?? "");
    if (found !== undefined) {
      const viewer = spawn(found, [argument(way)], {
        detached: true,
        stdio: "ignore",
        env: environment,
      });
      await once(viewer, "spawn");
      viewer.unref();
      return program;
    }
  }
  const names = viewers.map(({ program }) => program).join(" or ");
  const packages = viewers.map(({ debianPackage }) => debianPackage).join(" or ");
  throw new Failure(`there is no ${names} to open: install ${packages}; or ${hint}`);
}
