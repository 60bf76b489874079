import * as pulumi from "@pulumi/pulumi";

/** How a secret looks on its way to the engine, see the SDK's rpc.ts. */
const secretMark = "4dabf18193072939515e22adb298388d";

/** What the SDK has and its types do not. */
const runtime = pulumi.runtime as unknown as {
  /** Waits for every registration under way. */
  waitForRPCs(): Promise<void>;
  getMonitor(): Record<string, unknown>;
};

/** A resource that a program made. */
export interface Recorded {
  readonly type: string;
  /** As the engine would get them, those that are known; of a resource that is made without the recorder's options nothing but these. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** As the program gave them. */
  readonly props: Readonly<Record<string, unknown>>;
  readonly opts: pulumi.CustomResourceOptions;
  readonly resource: pulumi.Resource | undefined;
}

/** Resources that a program made, by `type/name`, in the order in which they may run. */
export type Resources = ReadonlyMap<string, Recorded>;

/** Any resource, to be depended on. */
export class Anything extends pulumi.CustomResource {
  constructor(name: string) {
    super("test:index:Anything", name, {});
  }
}

/**
 * Runs a part of a program against an engine that only takes notes.
 *
 * @param stdout what commands print, by their name and inputs; nothing where their `create` is not known yet.
 * @param make makes components; they must take the options it is given.
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
  // The SDK's mocks know no hooks: this engine takes them, and calls none.
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
    // What is under way when a component throws would be reported to the next test's engine.
    await runtime.waitForRPCs();
  }
  const none = { props: {}, opts: {}, resource: undefined };
  const resources = [...registered].map(
    ([key, each]) => [key, { ...none, ...given.get(key), ...each }] as const,
  );
  return { made, resources: new Map(resources) };
}

/** What an output holds, and whether it is a secret. */
export async function look<T>(output: pulumi.Output<T>): Promise<{ value: T; secret: boolean }> {
  const value = await new Promise<T>((resolve) => void output.apply(resolve));
  return { value, secret: await pulumi.isSecret(output) };
}

/** A plain value behind a secret; fails a test that expects a secret where there is none. */
export function revealed(value: unknown): unknown {
  if (!isSecretInput(value)) throw new Error(`not a secret: ${JSON.stringify(value)}`);
  return value["value"];
}

/** Whether an input, or something in it, is a secret: the mocks tell a group with one in it as a secret as a whole. */
export function isSecretInput(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && secretMark in value;
}
