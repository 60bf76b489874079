import { pulumiHome as preparedHome } from "../../../../cli/engine/folders.ts";

/** The tests state what the official plugins do too: KINDOWS_PLUGINS=official runs them against those. */
export const official = process.env["KINDOWS_PLUGINS"] === "official";

/** The PULUMI_HOME with the plugins under test: `make engine` puts them there. */
export function pulumiHome(): string {
  return preparedHome;
}
