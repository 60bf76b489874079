import { status } from "@grpc/grpc-js";
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import providerProto from "@pulumi/pulumi/proto/provider_pb.js";
import proto from "@pulumi/pulumi/proto/resource_pb.js";
import type {
  RegisterPackageRequest,
  RegisterResourceOutputsRequest,
  RegisterResourceRequest,
} from "@pulumi/pulumi/proto/resource_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import type { JavaScriptValue as Value } from "google-protobuf/google/protobuf/struct_pb.js";
import { differenceOf } from "../../../cli/preview-diff/difference.ts";
import { type Previewed, readPreview } from "../../../policy/previewed.ts";
import { filesHash, folderHash } from "../../../components/node/folder-hash.ts";
import { isUnknown, type PropertyValue } from "../../../offline/plugins/protocol/property-value.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { printedBy } from "./printed-by.ts";

// Half of a recording's time goes into the source-mapped stacks that the SDK keeps of its promises.
const debuggable = createRequire(import.meta.url)("@pulumi/pulumi/runtime/debuggable.js") as {
  debuggablePromise: <T>(promise: Promise<T>) => Promise<T>;
};
debuggable.debuggablePromise = (promise) => promise;

type Inputs = Record<string, Value>;

/** A resource in the engine's `pulumi preview --json`. */
export interface Step {
  readonly op: "create";
  readonly urn: string;
  readonly newState: {
    readonly type: string;
    readonly custom: boolean;
    readonly inputs: Inputs;
    readonly replaceWith: readonly string[];
    readonly deletedWith: string;
    readonly ignoreChanges: readonly string[];
    /** Its URNs in earlier versions. */
    readonly aliases: readonly string[];
    readonly [further: string]: unknown;
  };
}

/** The state before a preview: what the program itself requests, or what another recording did. */
export type UpBefore = "itself" | ReadonlyMap<string, Step>;

/** Special values among others, and secrets among these: the SDK's runtime/rpc.ts. */
const signature = "4dabf18193072939515e22adb298388d";
const secret = "1b47061264138c4ac30d75fd1eb44270";
const files: ReadonlySet<unknown> = new Set([
  "c44067f5952c0a294b673a41bacd8c17",
  "0def7320c3a5731c473e5ecbe6d01bc7",
]);

/**
 * Replaces the engine's monitor: records requests, and answers as in a preview, with the inputs, and with ids and
 * outputs of unchanged resources.
 */
export class RecordingMonitor {
  readonly steps = new Map<string, Step>();
  /** Outputs of components and the stack, by URN. */
  readonly outputs = new Map<string, Inputs>();
  readonly #replaced = new Set<string>();
  readonly #packages = new Map<string, Inputs>();

  constructor(
    private readonly stack: string,
    private readonly up: UpBefore | undefined,
    private readonly lastOutputs: Inputs = {},
  ) {}

  /** Newer SDKs call this first, and then treat the engine as an older one. */
  getDeploymentInfo(_: unknown, answer: (error: object) => void): void {
    answer({ code: status.UNIMPLEMENTED });
  }

  supportsFeature(_: unknown, answer: Answer<{ getHassupport(): boolean }>): void {
    answer(null, { getHassupport: () => true });
  }

  /** Returns the stack's outputs of its last `up`. */
  invoke(_: unknown, answer: Answer<object>): void {
    const told = struct.Struct.fromJavaScript({ outputs: this.lastOutputs });
    answer(null, new providerProto.InvokeResponse().setReturn(told));
  }

  registerPackage(request: RegisterPackageRequest, answer: Answer<object>): void {
    const [name, version] = [request.getName(), request.getVersion()];
    const parameterization = request.getParameterization()?.getValue_asB64() ?? "";
    // The engine adds this to providers' inputs.
    this.#packages.set(name, { version, __internal: { name, version, parameterization } });
    answer(null, new proto.RegisterPackageResponse().setRef(name));
  }

  registerResourceOutputs(request: RegisterResourceOutputsRequest, answer: Answer<object>): void {
    this.outputs.set(request.getUrn(), request.getOutputs()?.toJavaScript() ?? {});
    answer(null, {});
  }

  registerResource(request: RegisterResourceRequest, answer: Answer<object>): void {
    const step = this.#stepOf(request);
    this.steps.set(step.urn, step);
    const { id, printed } = this.#known(step, request.getName());
    const response = new proto.RegisterResourceResponse()
      .setUrn(step.urn)
      .setId(id ?? "")
      .setObject(
        struct.Struct.fromJavaScript({
          ...step.newState.inputs,
          ...this.#keptInputs(step),
          ...(printed !== undefined && { stdout: printed }),
        }),
      );
    answer(null, response);
  }

  #stepOf(request: RegisterResourceRequest): Step {
    const type = request.getType();
    // An engine names a resource by the types it is within, but for the stack's.
    const urnOf = (name: string, parent: string, type = request.getType()): string => {
      const [, within = ""] = /^urn:pulumi:.*?::.*?::(.*?)::/.exec(parent) ?? [];
      const above = within === "" || within === "pulumi:pulumi:Stack" ? "" : `${within}$`;
      return `urn:pulumi:${this.stack}::kindows::${above}${type}::${name}`;
    };
    const aliases = request.getAliasesList().flatMap((alias) => alias.getSpec() ?? []);
    const sources = request.getPropertydependenciesMap();
    return {
      op: "create",
      urn: urnOf(request.getName(), request.getParent()),
      newState: {
        type,
        custom: request.getCustom(),
        aliases: aliases.map((alias) => {
          const parent = alias.getNoparent() ? "" : alias.getParenturn() || request.getParent();
          return urnOf(alias.getName() || request.getName(), parent, alias.getType() || type);
        }),
        inputs: this.#checked(request),
        propertyDependencies: Object.fromEntries(
          [...sources.keys()].map((input) => [input, sources.get(input)?.getUrnsList()]),
        ),
        dependencies: request.getDependenciesList(),
        ignoreChanges: request.getIgnorechangesList(),
        replaceOnChanges: request.getReplaceonchangesList(),
        replaceWith: request.getReplaceWithList(),
        deletedWith: request.getDeletedwith(),
        provider: request.getProvider(),
        parent: request.getParent(),
      },
    };
  }

  /** Inputs after the plugin's check, with the engine's additions. */
  #checked(request: RegisterResourceRequest): Inputs {
    const type = request.getType();
    const inputs = hashed(request.getObject()?.toJavaScript() ?? {}) as Inputs;
    if (type.startsWith("pulumi:providers:")) {
      const version = request.getVersion();
      return { ...inputs, ...(this.#packages.get(request.getPackageref()) ?? { version }) };
    }
    // A secret in its schema; the SDK does not mark unknown values.
    return type.startsWith("command:remote:")
      ? { ...inputs, connection: { [signature]: secret, value: inputs["connection"] ?? null } }
      : inputs;
  }

  /** The previous values of inputs whose changes are ignored. */
  #keptInputs({ urn, newState: { ignoreChanges } }: Step): Inputs {
    const before = typeof this.up === "object" ? this.up.get(urn) : undefined;
    const kept = Object.entries(before?.newState.inputs ?? {});
    return Object.fromEntries(kept.filter(([name]) => ignoreChanges.includes(name)));
  }

  /** Known outputs in a preview: none of a resource that is created or replaced. */
  #known(step: Step, name: string): { readonly id?: string; readonly printed?: string } {
    if (this.up === undefined || !step.newState.custom) return {};
    const before = this.up === "itself" ? step : this.up.get(step.urn);
    if (before === undefined) return {};
    const [change] = differenceOf(previewOf(before), previewOf(step)).changed;
    if (
      change?.replaced === true ||
      [...step.newState.replaceWith, step.newState.deletedWith].some((urn) =>
        this.#replaced.has(urn),
      )
    ) {
      this.#replaced.add(step.urn);
      return {};
    }
    const { create } = before.newState.inputs;
    return {
      id: `${name}-id`,
      // A command that runs again may print something else.
      ...(change === undefined &&
        create !== undefined &&
        !isUnknown(create as PropertyValue) && {
          printed: printedBy(name, JSON.stringify(create)),
        }),
    };
  }
}

type Answer<T> = (error: Error | null, response: T) => void;

/** Whether a value is marked as a secret on its way to the engine. */
export function isSecret(value: unknown): boolean {
  return typeof value === "object" && value !== null && Reflect.get(value, signature) === secret;
}

/** A preview of this resource alone, with secrets shown, so that a changed secret is a change. */
function previewOf(step: Step): Previewed {
  const inputs = mapped(step.newState.inputs, (each) =>
    isSecret(each) ? each["value"] : undefined,
  );
  const newState = { ...step.newState, inputs };
  return readPreview(JSON.stringify({ steps: [{ ...step, newState }] }), projectRoot);
}

/** Identifies a file or folder by its content. */
function hashed(value: Value): Value {
  return mapped(value, (each) => {
    const { path } = each;
    if (!files.has(each[signature]) || typeof path !== "string") return undefined;
    const hash = statSync(path).isDirectory()
      ? folderHash(path)
      : filesHash(new Map([["", readFileSync(path)]]));
    return { ...each, hash };
  });
}

/** A value with objects replaced at all levels. */
function mapped(value: Value, instead: (object: Inputs) => Value | undefined): Value {
  if (Array.isArray(value)) return (value as Value[]).map((each) => mapped(each, instead));
  if (typeof value !== "object" || value === null) return value;
  const object = value as Inputs;
  const entries = Object.entries(object).map(([key, each]) => [key, mapped(each, instead)]);
  return instead(object) ?? (Object.fromEntries(entries) as Inputs);
}
