import { shortName } from "../../components/urn.ts";
import type { EngineEvent } from "./events.ts";

/**
 * Minutes without progress after which an operation is overdue, by resource types whose provider has no time limit:
 * libvirt's waits indefinitely for libvirt's streams, and Pulumi's bridge does not pass customTimeouts on to it
 * (pkg/pf/tfbridge/provider_create.go).
 */
export const limitMinutes: Readonly<Record<string, number>> = {
  // An image of some GiB may be uploaded over SSH.
  "libvirt:index/volume:Volume": 120,
  // The provider applies its own `timeouts`, 20 min by default, only to waiting for leases.
  "libvirt:index/domain:Domain": 40,
  "libvirt:index/cloudinitDisk:CloudinitDisk": 15,
  "libvirt:index/network:Network": 15,
  "libvirt:index/pool:Pool": 15,
};

/** Operations in which the engine waits for a provider. */
const waits = /^(create|update|delete|read|refresh|import)/;

/**
 * Finds operations that do not end. Operations wait for each other, because libvirt's provider does only one at a time
 * in a pool. So the longest of their limits counts, from the last time that any of them began or ended.
 */
export class OverdueOperations {
  /** Operations in progress and their limits, by URN. */
  readonly #underWay = new Map<string, { readonly what: string; readonly minutes: number }>();
  #timer: NodeJS.Timeout | undefined;

  /** @param report receives the overdue operations, and what to do. */
  constructor(
    private readonly report: (problem: string) => void,
    private readonly limits: Readonly<Record<string, number>>,
  ) {}

  read({ resourcePreEvent, resOutputsEvent, resOpFailedEvent }: EngineEvent): void {
    const { metadata } = resourcePreEvent ?? resOutputsEvent ?? resOpFailedEvent ?? {};
    const minutes = this.limits[metadata?.type ?? ""];
    if (metadata === undefined || minutes === undefined) return;
    const { op, urn } = metadata;
    if (resourcePreEvent === undefined) this.#underWay.delete(urn);
    else if (waits.test(op)) this.#underWay.set(urn, { what: `${op} ${shortName(urn)}`, minutes });
    this.stop();
    const longest = Math.max(...[...this.#underWay.values()].map((each) => each.minutes));
    if (this.#underWay.size > 0) {
      this.#timer = setTimeout(() => this.report(this.#problem(longest)), longest * 60_000);
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #problem(minutes: number): string {
    const operations = [...this.#underWay.values()].map(({ what }) => what).join(", ");
    return (
      `${operations} did not end within ${minutes} min, and the provider has no time limit of its own. Check whether the ` +
      "host's libvirtd answers (`virsh list`, its log) and its pool has space"
    );
  }
}
