import * as pulumi from "@pulumi/pulumi";

/** How a secret looks on its way to the engine, see the SDK's rpc.ts. */
const secretMark = "4dabf18193072939515e22adb298388d";

/** Waits for every registration under way; the SDK has it, its types do not. */
const { waitForRPCs } = pulumi.runtime as unknown as { waitForRPCs: () => Promise<void> };

/** A resource as the engine would get it. */
export interface Recorded {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly opts: pulumi.CustomResourceOptions;
}

/** Resources that a program made, by `type/name`. */
export type Resources = ReadonlyMap<string, Recorded>;

/**
 * Runs a part of a program against an engine that only takes notes.
 *
 * @param stdout what commands print, by their name.
 * @param make makes components; they must take the options it is given.
 */
export async function record<T>(
  stdout: (command: string) => string,
  make: (opts: pulumi.ComponentResourceOptions) => Promise<T>,
): Promise<{ made: T; resources: Resources }> {
  const inputs = new Map<string, Record<string, unknown>>();
  const options = new Map<string, pulumi.ResourceOptions>();
  await pulumi.runtime.setMocks({
    newResource: (args) => {
      inputs.set(`${args.type}/${args.name}`, args.inputs as Record<string, unknown>);
      return {
        id: `${args.name}-id`,
        state: { ...(args.inputs as Record<string, unknown>), stdout: stdout(args.name) },
      };
    },
    call: () => ({}),
  });
  const made = await make({
    transformations: [
      ({ type, name, props, opts }) => {
        options.set(`${type}/${name}`, opts);
        return { props, opts };
      },
    ],
  });
  await waitForRPCs();
  const resources = new Map(
    [...inputs].map(([key, each]) => [key, { inputs: each, opts: options.get(key) ?? {} }]),
  );
  return { made, resources };
}

/** What an output holds, and whether it is a secret. */
export async function look<T>(output: pulumi.Output<T>): Promise<{ value: T; secret: boolean }> {
  const value = await new Promise<T>((resolve) => void output.apply(resolve));
  return { value, secret: await pulumi.isSecret(output) };
}

/** A plain value behind a secret; fails a test that expects a secret where there is none. */
export function revealed(value: unknown): unknown {
  const holder = value as Record<string, unknown> | undefined;
  if (typeof holder !== "object" || !(secretMark in holder)) {
    throw new Error(`not a secret: ${JSON.stringify(value)}`);
  }
  return holder["value"];
}
