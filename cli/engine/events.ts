import type * as grpc from "@grpc/grpc-js";
import service from "@pulumi/pulumi/proto/events_grpc_pb.js";
import type { EventRequest } from "@pulumi/pulumi/proto/events_pb.js";
import empty, { type Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import * as z from "zod";
import { listen } from "../../offline/plugins/protocol/plugin-server.ts";
import { parseJson } from "../../toolchain/parse-json.ts";
import { stepTriggerOf } from "../../components/node/step-trigger.ts";
import { stepErrorCode } from "../../components/node/step-result.ts";
import { otherSteps } from "../../components/node/step-title.ts";
import { isMachine } from "../../components/facts.ts";
import { type FactSource, StackFacts } from "./facts.ts";

/** What a resource of a node is: a part of its machine, or a step on it, by the name in its trigger. */
export type NodePart = { readonly machine: true } | { readonly step: string };

export type NodeEvent =
  /** Creating or changing a part of the node has begun, or is done; deleting it where the stack is destroyed. */
  | ({ readonly kind: "begun" | "done"; readonly node: string } & NodePart)
  /** A resource of the node failed; `code` is a step's error code. */
  | { readonly kind: "failed"; readonly node: string; readonly code: string | undefined };

const stepSchema = z.object({
  metadata: z.object({
    op: z.string(),
    urn: z.string(),
    type: z.string().optional(),
    new: z
      .object({
        type: z.string(),
        /** False or missing for a component. */
        custom: z.boolean().optional(),
        parent: z.string().nullish(),
        inputs: z.record(z.string(), z.unknown()).nullish(),
      })
      .nullish(),
  }),
});

/** The part of pkg/apitype/events.go that is used. */
const eventSchema = z.object({
  resourcePreEvent: stepSchema.optional(),
  resOutputsEvent: stepSchema.optional(),
  resOpFailedEvent: stepSchema.optional(),
  diagnosticEvent: z
    .object({ urn: z.string().optional(), severity: z.string(), message: z.string() })
    .optional(),
});

export type EngineEvent = z.infer<typeof eventSchema>;

const changes = new Set(["create", "update", "replace", "create-replacement"]);

/** Turns the engine's events into events of nodes, which it knows from components: they appear before their children. */
export class EventReader {
  readonly #facts: StackFacts;

  /** @param leaving the resources of a stack that is destroyed; undefined for other operations. */
  constructor(private readonly leaving?: readonly FactSource[]) {
    this.#facts = new StackFacts(leaving);
  }

  read({ resourcePreEvent, resOutputsEvent, diagnosticEvent }: EngineEvent): NodeEvent | undefined {
    if (diagnosticEvent !== undefined) {
      const { urn = "", severity, message } = diagnosticEvent;
      const node = severity === "error" ? this.#facts.nodeOf(urn) : undefined;
      return node === undefined
        ? undefined
        : { kind: "failed", node, code: stepErrorCode(message) };
    }
    const { metadata } = resourcePreEvent ?? resOutputsEvent ?? {};
    const kind = resourcePreEvent === undefined ? "done" : "begun";
    if (this.leaving !== undefined) {
      const node = metadata?.op === "delete" ? this.#facts.nodeOf(metadata.urn) : undefined;
      return node === undefined || metadata === undefined
        ? undefined
        : { kind, node, ...this.#leavingPart(metadata) };
    }
    if (!metadata?.new) return undefined;
    const { op, urn } = metadata;
    this.#facts.add({ ...metadata.new, urn });
    if (!changes.has(op) || metadata.new.custom !== true) return undefined;
    const node = this.#facts.nodeOf(urn);
    const step = stepTriggerOf(metadata.new.inputs)?.step;
    const part =
      step !== undefined ? { step } : this.#facts.isOfMachine(urn) && { machine: true as const };
    if (node === undefined || part === false) return undefined;
    return { kind, node, ...part };
  }

  #leavingPart({ urn, type = "" }: { readonly urn: string; readonly type?: string }): NodePart {
    // A component is deleted after its parts.
    if (isMachine(type)) return { step: otherSteps.gone };
    return this.#facts.isOfMachine(urn) ? { machine: true } : { step: otherSteps.leave };
  }
}

/** Parses one event; the result is empty for kinds that are not used. */
export function readEvent(json: string): EngineEvent {
  return eventSchema.safeParse(parseJson(json)).data ?? {};
}

type Call = grpc.ServerReadableStream<EventRequest, Empty>;

/**
 * Receives an engine's events as Pulumi's Automation API does, over gRPC instead of a file.
 *
 * @param leaving the resources of a stack that is destroyed.
 */
export async function receiveEvents(
  onEvent: (event: EngineEvent, ofNode: NodeEvent | undefined) => void,
  leaving?: readonly FactSource[],
): Promise<{ readonly address: string; readonly close: () => void }> {
  const reader = new EventReader(leaving);
  const streamEvents = (call: Call, answer: grpc.sendUnaryData<Empty>): void => {
    call.on("data", (request: EventRequest) => {
      const event = readEvent(request.getEvent());
      onEvent(event, reader.read(event));
    });
    call.on("end", () => answer(null, new empty.Empty()));
  };
  const { port, close } = await listen((each) => {
    each.addService(service.EventsService, { streamEvents });
  });
  return { address: `tcp://127.0.0.1:${port}`, close };
}
