import { local } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import type * as z from "zod";
import { isPackage } from "../own-files.ts";

export type Variables = Readonly<Record<string, z.ZodType>>;

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

/** Parameters of a host action whose result a refresh looks at. */
export interface ObservedActionArgs<V extends Variables> extends HostActionArgs<V> {
  /** The host action that looks, and its arguments; it has the environment of the others, and prints a `Finding`. */
  readonly read: string;
}

/** What a host action finds of something that was made; nothing if all is as it was. */
export interface Finding {
  /** Why it is replaced by the next `up`. */
  readonly gone?: string;
  /** Why the next `up` runs `create` again. */
  readonly changed?: string;
}

/** What `command:local:Command` is for others, with a `read` (plugins/kindows). */
class Action extends pulumi.CustomResource {
  declare readonly stdout: pulumi.Output<string>;

  constructor(
    name: string,
    args: local.CommandArgs & { readonly read: string },
    opts: pulumi.CustomResourceOptions,
  ) {
    super("kindows:host:Action", name, { stdout: undefined, stderr: undefined, ...args }, opts);
  }
}

/** A host action that makes something, with what a refresh finds of it; of the package, a command as any other. */
export function observedAction<V extends Variables>(
  name: string,
  { read, ...args }: ObservedActionArgs<V>,
  opts: Omit<pulumi.CustomResourceOptions, "aliases"> & { readonly aliases?: pulumi.Alias[] },
): pulumi.CustomResource & { readonly stdout: pulumi.Output<string> } {
  const command = hostAction(args);
  if (isPackage) return new local.Command(name, command, opts);
  // Such a command it was before, unless it says otherwise.
  const former = [{}, ...(opts.aliases ?? [])].map((alias) => ({
    type: "command:local:Command",
    ...alias,
  }));
  return new Action(name, { ...command, read: commandLine(read) }, { ...opts, aliases: former });
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
