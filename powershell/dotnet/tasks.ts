/** System.Threading.Tasks.Task: something that is under way. */
import type { Clock, Host } from "../host.ts";
import { raised, type Types } from "../types.ts";
import { NetObject, Raised, type PsArray, type Value } from "../values.ts";
import { millisecondsOf } from "./time.ts";

interface Running {
  readonly promise: Promise<Value>;
  state: "running" | "ended" | "failed";
}

type Task = NetObject<Running>;

/** A task that ends with a promise. */
export function task(set: Types, promise: Promise<Value>): Task {
  const running: Running = { promise, state: "running" };
  promise.then(
    () => {
      running.state = "ended";
    },
    () => {
      running.state = "failed";
    },
  );
  return new NetObject(set.get("System.Threading.Tasks.Task"), running);
}

/** What a task's error is for those that wait for it. */
function aggregate(error: unknown): unknown {
  return error instanceof Raised
    ? raised("System.AggregateException", "One or more errors occurred.", {
        inner: error.exception,
      })
    : error;
}

/** What a promise brings within a time; -1: however long. Undefined: it takes longer. */
export async function within<Result>(
  clock: Clock,
  promise: Promise<Result>,
  milliseconds: number,
): Promise<Result | undefined> {
  if (milliseconds < 0) {
    return promise;
  }
  const cancel = new AbortController();
  try {
    return await Promise.race([
      promise,
      clock.sleep(milliseconds, cancel.signal).then(() => undefined),
    ]);
  } finally {
    cancel.abort();
  }
}

export function defineTaskTypes(set: Types, host: Host): void {
  /** Whether all have ended within a time. */
  const wait = async (tasks: readonly Task[], milliseconds = -1): Promise<boolean> => {
    try {
      const all = Promise.all(tasks.map((each) => each.state.promise));
      return (await within(host.clock, all, milliseconds)) !== undefined;
    } catch (error) {
      throw aggregate(error);
    }
  };
  const all = ({ items }: PsArray) => items as Task[];
  const name = "System.Threading.Tasks.Task";
  set.define({
    name,
    properties: {
      Result: async (self: Task) => {
        await wait([self]);
        return self.state.promise;
      },
      IsCompleted: (self: Task) => self.state.state !== "running",
      IsFaulted: (self: Task) => self.state.state === "failed",
      IsCanceled: () => false,
    },
    methods: {
      "Wait()": async (self: Task) => {
        await wait([self]);
      },
      "Wait(int)": (self: Task, milliseconds: number) => wait([self], milliseconds),
      "Wait(timespan)": (self: Task, span: Value) => wait([self], millisecondsOf(span)),
      "Dispose()": () => undefined,
    },
    staticMethods: {
      "FromResult(object)": (_: null, value: Value) => task(set, Promise.resolve(value)),
      [`WaitAll(${name}[])`]: async (_: null, list: PsArray) => {
        await wait(all(list));
      },
      [`WaitAll(${name}[], int)`]: (_: null, list: PsArray, milliseconds: number) =>
        wait(all(list), milliseconds),
      [`WaitAll(${name}[], timespan)`]: (_: null, list: PsArray, span: Value) =>
        wait(all(list), millisecondsOf(span)),
    },
    unsupported: ["Id", "AsyncState", "Exception", "Status", "CreationOptions"],
  });
}
