import { local } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import type * as z from "zod";
import { isPackage } from "../own-files.ts";

export type Variables = Readonly<Record<string, z.ZodType>>;

export interface HostActionArgs<V extends Variables> extends Pick<
  local.CommandArgs,
  "triggers" | "logging" | "addPreviousOutputInEnv"
> {
  /** The action and its flags: `cni/await-calico` runs `components/cni/actions/await-calico.ts`. */
  readonly create: string;
  /** The action that removes what `create` made. Default: nothing is removed. */
  readonly delete?: string;
  /** Strings are passed unchanged, other values as JSON. Secrets must be secret Outputs. */
  readonly environment: {
    readonly [Name in keyof V]: z.input<V[Name]> | pulumi.Output<z.input<V[Name]>>;
  };
}

/**
 * Returns the inputs of a command that runs a host action: a program in the folder `actions` beside a component, which
 * reads its environment with `runAction`.
 *
 * The command line is relative to the project, so that the state is the same in every clone. Parameters and secrets are
 * passed in the environment only.
 *
 * @typeParam V the exported `environment` of the action, or the intersection if `create` and `delete` are two actions.
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

/** Arguments of a host action whose result is checked by `pulumi refresh`. */
export interface ObservedActionArgs<V extends Variables> extends HostActionArgs<V> {
  /** The action and flags for the check. It gets the same environment and prints a `Finding`. */
  readonly read: string;
}

/** Result of a `read` action; empty if nothing has changed. */
export interface Finding {
  /** Why the next `up` must replace the resource. */
  readonly gone?: string;
  /** Why the next `up` must run `create` again. */
  readonly changed?: string;
}

/** Like `command:local:Command`, with the additional input `read` (offline/plugins/kindows). */
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

/**
 * A resource whose `read` action is run by `pulumi refresh`. In the package @kindows/components it is a plain command,
 * without `read`.
 */
export function observedAction<V extends Variables>(
  name: string,
  { read, ...args }: ObservedActionArgs<V>,
  opts: pulumi.CustomResourceOptions,
): pulumi.CustomResource & { readonly stdout: pulumi.Output<string> } {
  const command = hostAction(args);
  if (isPackage) return new local.Command(name, command, opts);
  return new Action(name, { ...command, read: commandLine(read) }, opts);
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
