/** System.Threading.Tasks.Task: something that is under way. */
import { convert } from "../convert.ts";
import type { Clock, Host } from "../host.ts";
import { raised, types, type Types } from "../types.ts";
import { NetObject, type PsArray, Raised, type Value } from "../values.ts";
import { millisecondsOf } from "./time.ts";

interface Running {
  readonly promise: Promise<Value>;
  value?: Value;
  error?: unknown;
  state: "WaitingForActivation" | "RanToCompletion" | "Faulted";
}

type Task = NetObject<Running>;

/** A task that ends with a promise. */
export function task(set: Types, promise: Promise<Value>): Task {
  const running: Running = { promise, state: "WaitingForActivation" };
  promise.then(
    (value) => {
      running.value = value;
      running.state = "RanToCompletion";
    },
    (error: unknown) => {
      running.error = error;
      running.state = "Faulted";
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
  /** Whether all have ended within a time; -1: however long. */
  const wait = async (tasks: readonly Task[], milliseconds: number): Promise<boolean> => {
    try {
      const all = Promise.all(tasks.map((each) => each.state.promise));
      return (await within(host.clock, all, milliseconds)) !== undefined;
    } catch (error) {
      throw aggregate(error);
    }
  };
  const tasksOf = (list: PsArray) => list.items as Task[];
  const done = (self: Task) => self.state.state !== "WaitingForActivation";
  set.define({
    name: "System.Threading.Tasks.Task",
    properties: {
      Result: async (self: Task) => {
        await wait([self], -1);
        return self.state.value ?? null;
      },
      IsCompleted: done,
      IsFaulted: (self: Task) => self.state.state === "Faulted",
      IsCanceled: () => false,
      Status: (self: Task) => convert(self.state.state, taskStatus),
      Exception: (self: Task) => {
        const error = aggregate(self.state.error);
        return error instanceof Raised ? error.exception : null;
      },
    },
    methods: {
      "Wait()": async (self: Task) => {
        await wait([self], -1);
      },
      "Wait(int)": (self: Task, milliseconds: number) => wait([self], milliseconds),
      "Wait(timespan)": (self: Task, span: Value) => wait([self], millisecondsOf(span)),
      "Dispose()": () => undefined,
    },
    staticMethods: {
      "WaitAll(System.Threading.Tasks.Task[])": async (_: null, list: PsArray) => {
        await wait(tasksOf(list), -1);
      },
      "WaitAll(System.Threading.Tasks.Task[], int)": (
        _: null,
        list: PsArray,
        milliseconds: number,
      ) => wait(tasksOf(list), milliseconds),
      "WaitAll(System.Threading.Tasks.Task[], timespan)": (_: null, list: PsArray, span: Value) =>
        wait(tasksOf(list), millisecondsOf(span)),
    },
    unsupported: ["GetAwaiter", "ContinueWith", "Id", "AsyncState"],
  });
}

const taskStatus = types.define({
  name: "System.Threading.Tasks.TaskStatus",
  enumeration: {
    ...{ Created: 0, WaitingForActivation: 1, WaitingToRun: 2, Running: 3 },
    ...{ WaitingForChildrenToComplete: 4, RanToCompletion: 5, Canceled: 6, Faulted: 7 },
  },
});
