/** Windows' named mutexes, which all processes of a machine share. */
import { within } from "./tasks.ts";
import { millisecondsOf } from "./time-types.ts";
import type { Types } from "../powershell/types.ts";
import { NetObject, Unsupported, type Value } from "../powershell/values.ts";
import type { MachineTime } from "../machine/machine-time.ts";

export class NamedMutexes {
  /** By name: resolves when everyone who has entered or waits so far has left. */
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #leave = new Map<string, () => void>();

  constructor(private readonly time: MachineTime) {}

  /** Waits at most `milliseconds` for the mutex. Returns whether it was entered. */
  async enter(name: string, milliseconds: number): Promise<boolean> {
    const before = this.#last.get(name);
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const last = Promise.all([before, left]);
    this.#last.set(name, last);
    void last.then(() => {
      if (this.#last.get(name) === last) this.#last.delete(name);
    });
    if (before !== undefined && !(await within(this.time, before, milliseconds))) {
      leave();
      return false;
    }
    this.#leave.set(name, leave);
    return true;
  }

  leave(name: string): void {
    this.#leave.get(name)?.();
    this.#leave.delete(name);
  }

  /** Resolves when no mutex is held or waited for. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}

export function defineMutexTypes(types: Types, mutexes: NamedMutexes): void {
  // Never thrown, because the model's processes always release their mutexes.
  types.define({
    name: "System.Threading.AbandonedMutexException",
    base: "System.SystemException",
  });
  type Mutex = NetObject<string>;
  const mutex = types.define({
    name: "System.Threading.Mutex",
    constructors: {
      "(bool, string)": (isOwned: boolean, name: string) => {
        if (isOwned) throw new Unsupported("a mutex that is owned from the start");
        return new NetObject(mutex, name);
      },
    },
    methods: {
      "WaitOne(timespan)": ({ state }: Mutex, span: Value) => {
        const milliseconds = millisecondsOf(span);
        return mutexes.enter(state, milliseconds < 0 ? Infinity : milliseconds);
      },
      "ReleaseMutex()": ({ state }: Mutex) => mutexes.leave(state),
      "Dispose()": () => undefined,
    },
  });
}
