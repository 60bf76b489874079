import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { knownStacks } from "../../cli/stack-settings.ts";
import { goneVariable } from "../../components/machine/existing/machine-parameter.ts";
import { TestLab } from "../e2e/lab.ts";
import { clearHost, estateLab } from "./outside/estate.ts";
import { removeNamespaces } from "./outside/network-namespace.ts";
import { SecondHypervisor } from "./outside/second-hypervisor.ts";

/** Removes what an interrupted part has left. A lab may still exist if its settings file does. */
export const mochaHooks = {
  async beforeAll(): Promise<void> {
    const second = new SecondHypervisor();
    second.useSwitchHere();
    for (const stack of (await knownStacks()).filter((name) => name.startsWith("e2e"))) {
      console.log(`      removing what is left of ${stack}`);
      if (stack === estateLab.stack) {
        await clearHost();
        await estateLab.removeSettings();
      } else {
        await removeLeftLab(new TestLab(stack));
      }
    }
    await second.remove();
    await removeNamespaces("kwt-");
  },
};

/** A lab's further hypervisors count as gone: they were this host, behind an SSH server that ended with the test. */
async function removeLeftLab(lab: TestLab): Promise<void> {
  const { config } = parse(await readFile(lab.stackFile, "utf8")) as {
    config: { "kindows:hypervisors"?: readonly { readonly name: string }[] };
  };
  process.env[goneVariable] = (config["kindows:hypervisors"] ?? []).map(({ name }) => name).join();
  try {
    await lab.remove();
  } finally {
    Reflect.deleteProperty(process.env, goneVariable);
  }
}
