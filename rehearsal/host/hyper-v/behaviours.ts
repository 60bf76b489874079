import { randomUUID } from "node:crypto";
import type { StepBehaviour, StepContext, StepOutcome } from "../step.ts";
import { StepError } from "../step-error.ts";
import { type ModelledMachine, addressesOf, diskAt, saveHyperV } from "./hyper-v-model.ts";
import {
  diskFile,
  identityFile,
  markText,
  namedMachines,
  nameProblems,
  readMark,
  readSiteMark,
  removeSite,
  writeSiteMark,
} from "./lab-machines.ts";
import { assertNoProblem, hostProblems, requireHyperV, sizeProblems } from "./require-hyper-v.ts";
import type { HyperVScriptName } from "./script-names.ts";

/** Sector 16 of an ISO 9660 image, where it says that it is one. */
const isoMark = 32_769;
const smallestIso = 34_816;

async function testHyperVHost({ host, parameters }: StepContext): Promise<StepOutcome> {
  const wanted = {
    switchName: parameters.text("SwitchName"),
    baseDisk: parameters.text("BaseDisk"),
    folder: parameters.text("Folder"),
  };
  const model = await requireHyperV(host);
  assertNoProblem(await hostProblems(host, model, wanted));
  return {
    changed: false,
    facts: { computerName: host.computerName, logicalProcessors: model.logicalProcessors },
  };
}

async function newLabMachine(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  const wanted = {
    name: parameters.text("MachineName"),
    folder: parameters.text("Folder"),
    owner: parameters.text("Owner"),
    making: parameters.text("Making"),
    baseDisk: parameters.text("BaseDisk"),
    generation: parameters.integer("Generation"),
    secureBoot: parameters.integer("SecureBoot") === 1,
    switchName: parameters.text("SwitchName"),
    macAddress: parameters.text("MacAddress"),
    cpus: parameters.integer("Cpus"),
    memoryMiB: parameters.integer("MemoryMiB"),
    diskGiB: parameters.integer("DiskGiB"),
  };
  const identity = identityDisc(await context.stdin());
  const model = await requireHyperV(host);
  const { name, owner, making, baseDisk } = wanted;
  const site = `${wanted.folder}\\${name}`;
  const found = await namedMachines(host, model, { name, site, owner });
  const whole = found.find((each) => each.kind === "whole" && each.making === making);
  if (whole !== undefined) {
    const started = start(whole.machine);
    await saveHyperV(host, model);
    return { changed: started, facts: { id: whole.machine.id } };
  }

  assertNoProblem([
    ...(await nameProblems(host, found, site, owner)),
    ...(await hostProblems(host, model, wanted)),
    ...sizeProblems(model, wanted),
  ]);
  model.machines = model.machines.filter((each) => !found.some(({ machine }) => machine === each));
  await removeSite(host, model, site, owner);
  await saveHyperV(host, model);

  await writeSiteMark(host, site, { owner, making });
  await host.drive.write(`${site}\\${identityFile}`, identity, true);
  const disk = `${site}\\${diskFile}`;
  await host.drive.write(disk, `a differencing disk on ${baseDisk}\n`);
  model.disks[disk] = {
    format: "VHDX",
    sizeGiB: wanted.diskGiB,
    bootsWith: diskAt(model, baseDisk)?.bootsWith ?? 0,
  };
  const machine: ModelledMachine = {
    name,
    id: randomUUID(),
    notes: "",
    state: "Off",
    generation: wanted.generation,
    secureBoot: wanted.generation === 2 && wanted.secureBoot,
    switchName: wanted.switchName,
    macAddress: wanted.macAddress,
    cpus: wanted.cpus,
    memoryMiB: wanted.memoryMiB,
    disk,
  };
  model.machines.push(machine);
  await saveHyperV(host, model);
  await context.checkpoint();
  machine.notes = markText({ owner, making });
  start(machine);
  await saveHyperV(host, model);
  return { changed: true, facts: { id: machine.id } };
}

/** What Read-IdentityDisc reads. */
function identityDisc(text: string | undefined): Buffer {
  const remedy = "Give the disc in base64 on standard input, and end the input.";
  if (text === undefined) {
    throw new StepError("SecretMissing", "Standard input did not end within 60 s.", remedy);
  }
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text)) {
    throw new StepError(
      "SecretMissing",
      `Standard input is not base64 (${text.length} characters).`,
      remedy,
    );
  }
  const bytes = Buffer.from(text, "base64");
  if (bytes.length < smallestIso || bytes.toString("latin1", isoMark, isoMark + 5) !== "CD001") {
    throw new StepError(
      "SecretMissing",
      `Standard input is no disc image (${bytes.length} bytes).`,
      remedy,
    );
  }
  return bytes;
}

function start(machine: ModelledMachine): boolean {
  const stands = machine.state === "Off" || machine.state === "Saved";
  if (stands) machine.state = "Running";
  return stands;
}

async function getLabMachine({ host, parameters }: StepContext): Promise<StepOutcome> {
  const owner = parameters.text("Owner");
  const model = await requireHyperV(host);
  const machines = model.machines.flatMap((machine) => {
    const mark = readMark(machine.notes);
    const { name, id, state } = machine;
    return mark?.owner === owner
      ? [{ name, id, making: mark.making, state, addresses: addressesOf(model, machine) }]
      : [];
  });
  return { changed: false, facts: { machines } };
}

async function removeLabMachine(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  const name = parameters.text("MachineName");
  const folder = parameters.text("Folder");
  const owner = parameters.text("Owner");
  const model = await requireHyperV(host);
  const removed: string[] = [];
  for (const each of name === "" ? await host.drive.folderNames(folder) : [name]) {
    const site = `${folder}\\${each}`;
    if (name === "" && (await readSiteMark(host, site)) === undefined) continue;
    const own = (await namedMachines(host, model, { name: each, site, owner }))
      .filter(({ kind }) => kind !== "foreign")
      .map(({ machine }) => machine);
    model.machines = model.machines.filter((machine) => !own.includes(machine));
    await saveHyperV(host, model);
    await context.checkpoint();
    if ((await removeSite(host, model, site, owner)) || own.length > 0) removed.push(each);
    await saveHyperV(host, model);
  }
  return { changed: removed.length > 0, facts: { removed: removed.join(",") } };
}

/** What stands in for each script for a Hyper-V host. */
export const hyperVBehaviours: Readonly<Record<HyperVScriptName, StepBehaviour>> = {
  "Test-HyperVHost": testHyperVHost,
  "New-LabMachine": newLabMachine,
  "Get-LabMachine": getLabMachine,
  "Remove-LabMachine": removeLabMachine,
};
