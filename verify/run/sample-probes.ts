import { nodesOf } from "../cluster/facts.ts";
import type { Snapshot } from "../cluster/snapshot.ts";
import { withText } from "./probe.ts";
import type { Probe } from "./probe.ts";

/** Requests to a sample's NodePort, from this host: the web server by every node, the shop by every Linux one. */
export function sampleProbes(look: "web-server" | "shop", snapshot: Snapshot): readonly Probe[] {
  const port = snapshot.services.find(({ metadata }) => metadata?.name === look)?.spec?.ports?.[0]
    ?.nodePort;
  const linux = nodesOf(snapshot, "linux");
  const nodes = look === "shop" ? linux : [...linux, ...nodesOf(snapshot, "windows")];
  return nodes.flatMap(({ name, address }) =>
    pages(look).map(({ path, judge }) => ({
      origin: "outside",
      url: `http://${address}:${port ?? 0}${path}`,
      requests: 1,
      judge,
      targetPods: [],
      service: look,
      viaNode: name,
      named: false,
    })),
  );
}

function pages(
  look: "web-server" | "shop",
): readonly { readonly path: string; readonly judge: Probe["judge"] }[] {
  if (look === "web-server") {
    return [{ path: "/", judge: withText("Windows Container Web Server") }];
  }
  return [
    { path: "/", judge: withText("<h1>Widgets</h1>") },
    { path: "/authorise?card=4111111111111111&amount=25", judge: withText("Auth Code: ") },
    // Cards that end in 9, and amounts from 1000, are declined.
    { path: "/authorise?card=4111111111111119&amount=25", judge: withText("Declined") },
  ];
}
