/** What of .NET reaches the machine that a script runs on, and not the language alone. */
import type { Host } from "../../powershell/host.ts";
import type { Types } from "../../powershell/types.ts";
import { defineEnvironmentTypes, type WindowsEnvironment } from "./environment.ts";
import { defineFileTypes } from "./file-types.ts";
import { defineStreamTypes, type FileSystem } from "./file-streams.ts";
import { defineMutexTypes, type NamedMutexes } from "./mutexes.ts";
import { defineNameTypes } from "./network.ts";
import { defineProcessTypes } from "./process-types.ts";
import type { Processes } from "./processes.ts";
import { defineTaskTypes } from "./tasks.ts";
import { defineTimeTypes } from "./time-types.ts";

export interface ScriptMachine extends Host {
  readonly files: FileSystem;
  readonly environment: WindowsEnvironment;
  readonly programs: Processes;
  readonly computerName: string;
  readonly is64Bit: boolean;
  /** All of standard input. */
  readonly input: () => Promise<Buffer>;
  readonly mutexes: NamedMutexes;
  /** Addresses of a name; none: it does not resolve. */
  readonly lookup: (name: string) => Promise<readonly string[]>;
}

/** Adds to the types of an interpreter. */
export function defineMachineTypes(types: Types, machine: ScriptMachine): void {
  defineTimeTypes(types, machine);
  defineTaskTypes(types, machine.clock);
  defineFileTypes(types, machine);
  defineStreamTypes(types, machine);
  defineProcessTypes(types, machine.programs, machine);
  defineEnvironmentTypes(types, machine.environment, machine.is64Bit);
  defineMutexTypes(types, machine.mutexes);
  defineNameTypes(types, machine.computerName, machine.lookup);
}
