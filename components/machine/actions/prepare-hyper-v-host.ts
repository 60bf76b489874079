/**
 * Host action: sees to it that a Hyper-V host can run a lab's machines. With `--remove` it takes away what the lab still
 * has there: machines that a killed run has left, and the scripts; unless the host is gone for good (KINDOWS_GONE).
 */
import { runAction, say } from "../../host-action/run-action.ts";
import { goneVariable, isGone } from "../existing/machine-parameter.ts";
import { onHyperVHost } from "../hyper-v/host-session.ts";
import { hyperVHostSchema, hyperVHostText } from "../hyper-v/parameters.ts";

/** Waiting for another script there takes up to four minutes. */
const testSeconds = 300;
const removeSeconds = 600;

export const environment = { HYPER_V_HOST: hyperVHostSchema };

await runAction(environment, async ({ HYPER_V_HOST: host }) => {
  if (!process.argv.includes("--remove")) {
    const { facts } = await onHyperVHost(host, testSeconds, (session) =>
      session.run("Test-HyperVHost"),
    );
    say(`${hyperVHostText(host)} can run machines (${String(facts["computerName"])})`);
    return;
  }
  if (isGone(host.name)) {
    say(`${host.name} is gone for good, as ${goneVariable} says: nothing is removed there`);
    return;
  }
  await onHyperVHost(host, removeSeconds, async (session) => {
    const { removed } = (await session.run("Remove-LabMachine")).facts;
    if (typeof removed === "string" && removed !== "") {
      say(`removed what was left on ${host.name}: ${removed}`);
    }
    await session.removeScripts();
  });
});
