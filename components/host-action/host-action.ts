import type { local } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import type * as z from "zod";
import { isPackage } from "../own-files.ts";

/** A schema for each environment variable of a host action. */
export type Variables = Readonly<Record<string, z.ZodType>>;

/** Parameters of a host action, and the command that runs it. */
export interface HostActionArgs<V extends Variables> extends Pick<
  local.CommandArgs,
  "triggers" | "logging" | "addPreviousOutputInEnv"
> {
  /** Its program, and flags: `cni/await-calico` is `components/cni/actions/await-calico.ts`. */
  readonly create: string;
  /** The host action that deletes what it created, if there is anything. */
  readonly delete?: string;
  /** Texts are passed on unchanged, anything else as JSON; secrets are secret Outputs. */
  readonly environment: {
    readonly [Name in keyof V]: z.input<V[Name]> | pulumi.Output<z.input<V[Name]>>;
  };
}

/**
 * Inputs of the command that runs a host action: a program in the folder `actions` beside a component, which reads its
 * environment with `runAction`.
 *
 * The command line is relative to the project, or Node.js finds the package from there, so that the state is the same in
 * every clone; parameters and secrets travel in the environment only.
 *
 * @typeParam V the action's `environment`; of two with one environment, both.
 */
export function hostAction<V extends Variables>(args: HostActionArgs<V>): local.CommandArgs {
  return {
    logging: "stderr",
    addPreviousOutputInEnv: false,
    ...args,
    create: commandLine(args.create),
    ...(args.delete !== undefined && { delete: commandLine(args.delete) }),
    environment: Object.fromEntries(
      Object.entries<unknown>(args.environment).map(([name, value]) => [
        name,
        pulumi.Output.isInstance(value) ? value.apply(asText) : asText(value),
      ]),
    ),
  };
}

function commandLine(action: string): string {
  const [program = "", ...flags] = action.split(" ");
  const file = program.replace("/", "/actions/");
  const run = isPackage
    ? `node -e 'import("@kindows/components/${file}")' --`
    : `node toolchain/program/run.js components/${file}.ts`;
  return [run, ...flags].join(" ");
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
