/**
 * .NET's tasks.
 *
 * Source: https://learn.microsoft.com/dotnet/api/system.threading.tasks.task.
 */
import type { Clock } from "../powershell/host.ts";
import type { Types } from "../powershell/types.ts";
import { NetObject, type PsArray, type Value } from "../powershell/values.ts";

type Task = NetObject<{ readonly promise: Promise<Value>; isCompleted: boolean }>;

export function task(types: Types, promise: Promise<Value>): Task {
  const state = { promise, isCompleted: false };
  const complete = () => {
    state.isCompleted = true;
  };
  promise.then(complete, complete);
  return new NetObject(types.get("System.Threading.Tasks.Task"), state);
}

/** Whether a promise resolves within `time` milliseconds. */
export async function within(
  clock: Pick<Clock, "sleep">,
  promise: Promise<unknown>,
  time: number,
): Promise<boolean> {
  const cancel = new AbortController();
  const late = clock.sleep(time, cancel.signal).then(() => false);
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    cancel.abort();
  }
}

export function defineTaskTypes(types: Types, clock: Clock): void {
  const wait = (tasks: readonly Value[], time: number) =>
    within(clock, Promise.all(tasks.map((each) => (each as Task).state.promise)), time);
  types.define({
    name: "System.Threading.Tasks.Task",
    properties: {
      Result: ({ state }: Task) => state.promise,
      IsCompleted: ({ state }: Task) => state.isCompleted,
    },
    methods: { "Wait(int)": (self: Task, time: number) => wait([self], time) },
    staticMethods: {
      "WaitAll(System.Threading.Tasks.Task[], int)": ({ items }: PsArray, time: number) =>
        wait(items, time),
    },
  });
}
