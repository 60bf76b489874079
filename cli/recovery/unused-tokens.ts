import type { StateResource } from "../engine/deployment.ts";
import { neededBy } from "./forget.ts";

/** Component that mints a bootstrap token; the token itself is a command below it. */
const tokenComponent = "kindows:controlplane:BootstrapToken";

/**
 * URNs of tokens that were minted for a join which is not in the state.
 *
 * The join was never reached or did not finish. A token lives an hour or two, so by now it may be worthless, and
 * nothing in the state would show that: it is minted again. The cluster removes the old one when it expires.
 */
export function unusedTokens(resources: readonly StateResource[]): readonly string[] {
  const needed = new Set(resources.flatMap((resource) => neededBy(resource)));
  const components = new Set(
    resources.filter((each) => each.type === tokenComponent).map((each) => each.urn),
  );
  return resources
    .filter((each) => each.custom === true && components.has(each.parent ?? ""))
    .filter((each) => !needed.has(each.urn))
    .map((each) => each.urn);
}
