import * as pulumi from "@pulumi/pulumi";

/** How a secret looks on its way to the engine, see the SDK's rpc.ts. */
const secretMark = "4dabf18193072939515e22adb298388d";

/** Parts of the SDK that its types lack. */
const runtime = pulumi.runtime as unknown as {
  /** Waits for every registration under way. */
  waitForRPCs(): Promise<void>;
  getMonitor(): Record<string, unknown>;
};

/** A resource that a program has registered. */
export interface Recorded {
  readonly type: string;
  /**
   * The known inputs, as the engine gets them. A resource that is made without the recorder's options has only these.
   */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Inputs as the program gave them. */
  readonly props: Readonly<Record<string, unknown>>;
  readonly opts: pulumi.CustomResourceOptions;
  readonly resource: pulumi.Resource | undefined;
}

/** A program's resources by `type/name`, in the order in which they may run. */
export type Resources = ReadonlyMap<string, Recorded>;

/** Any resource, for dependsOn. */
export class Anything extends pulumi.CustomResource {
  constructor(name: string) {
    super("test:index:Anything", name, {});
  }
}

/**
 * Runs a part of a program against an engine that only records.
 *
 * @param stdout output of commands, by name and inputs; undefined if `create` is not known yet.
 * @param make creates components, with the options that it gets.
 */
export async function record<T>(
  stdout: (command: string, inputs: Recorded["inputs"]) => string,
  make: (opts: pulumi.ComponentResourceOptions) => T | Promise<T>,
  preview = false,
): Promise<{ made: T; resources: Resources }> {
  const registered = new Map<string, Pick<Recorded, "type" | "inputs">>();
  const given = new Map<string, Pick<Recorded, "props" | "opts" | "resource">>();
  await pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, ...args }) => {
        const known = Object.entries(args.inputs as object).filter(
          ([, value]) => !pulumi.isUnknown(value),
        );
        const inputs = Object.fromEntries(known) as Recorded["inputs"];
        registered.set(`${type}/${name}`, { type, inputs });
        const ran = !preview || inputs["create"] !== undefined;
        const state = ran ? { ...inputs, stdout: stdout(name, inputs) } : inputs;
        return { id: `${name}-id`, state };
      },
      call: ({ inputs }) => inputs as Record<string, unknown>,
    },
    "kindows",
    "test",
    preview,
  );
  // The SDK's mocks do not support hooks; this engine accepts them and calls none.
  runtime.getMonitor()["registerResourceHook"] = (_: unknown, done: (error: null) => void) =>
    done(null);
  let made: T;
  try {
    made = await make({
      transformations: [
        ({ type, name, props, opts, resource }) => {
          given.set(`${type}/${name}`, { props, opts, resource });
          return { props, opts };
        },
      ],
    });
  } finally {
    // Otherwise pending registrations of a component that throws would reach the next test's engine.
    await runtime.waitForRPCs();
  }
  const none = { props: {}, opts: {}, resource: undefined };
  const resources = [...registered].map(
    ([key, each]) => [key, { ...none, ...given.get(key), ...each }] as const,
  );
  return { made, resources: new Map(resources) };
}

/** An output's value, and whether it is secret. */
export async function look<T>(output: pulumi.Output<T>): Promise<{ value: T; secret: boolean }> {
  const value = await new Promise<T>((resolve) => void output.apply(resolve));
  return { value, secret: await pulumi.isSecret(output) };
}

/** The plain value of a secret. @throws if the input is not secret. */
export function revealed(value: unknown): unknown {
  if (!isSecretInput(value)) throw new Error(`not a secret: ${JSON.stringify(value)}`);
  return value["value"];
}

/** Whether an input is or contains a secret; the mocks report an object that contains one as secret. */
export function isSecretInput(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && secretMark in value;
}
