import * as grpc from "@grpc/grpc-js";
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import type { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engine from "@pulumi/pulumi/proto/engine_pb.js";

const severities = { info: engine.LogSeverity.INFO, warning: engine.LogSeverity.WARNING } as const;

export type Severity = keyof typeof severities;

interface LogEntry {
  readonly severity: Severity;
  readonly message: string;
  readonly urn: string;
  /** Progress of a running operation: shown beside the resource while it runs, and not kept. */
  readonly ephemeral: boolean;
}

export interface EngineLog {
  write(entry: LogEntry): void;
  /** Resolves when every line has reached the engine or was given up. */
  flush(): Promise<void>;
}

/** Time a line has to reach the engine before it is given up. */
const DELIVERY_SECONDS = 5;

/** If more lines than this are waiting, progress is dropped: it is useless when late, and operations wait for their log. */
const LONGEST_QUEUE = 100;

/** Log of the engine that listens at `address`; connects when the first line is written. */
export function connectEngineLog(address: string): EngineLog {
  let client: EngineClient | undefined;
  let delivered: Promise<void> = Promise.resolve();
  let waiting = 0;

  const deliver = (entry: LogEntry): Promise<void> =>
    new Promise((resolve) => {
      client ??= new engineService.EngineClient(address, grpc.credentials.createInsecure());
      const request = new engine.LogRequest()
        .setSeverity(severities[entry.severity])
        .setMessage(entry.message)
        .setUrn(entry.urn)
        .setEphemeral(entry.ephemeral);
      const deadline = new Date(Date.now() + DELIVERY_SECONDS * 1000);
      // A line that cannot be delivered must not fail the operation it reports on.
      client.log(request, new grpc.Metadata(), { deadline }, () => resolve());
    });

  return {
    write(entry) {
      if (entry.ephemeral && waiting > LONGEST_QUEUE) return;
      waiting += 1;
      delivered = delivered.then(() => deliver(entry)).then(() => void (waiting -= 1));
    },
    flush: () => delivered,
  };
}
