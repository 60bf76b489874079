import { shortName } from "./deployment.ts";
import type { EngineEvent } from "./events.ts";

/**
 * Minutes without any operation's end, by the types whose provider has no limit: libvirt's waits for a stream of libvirt's
 * for ever, and Pulumi's bridge hands no customTimeouts on to it (pkg/pf/tfbridge/provider_create.go).
 */
export const limitMinutes: Readonly<Record<string, number>> = {
  // An image of some GiB that is uploaded over SSH.
  "libvirt:index/volume:Volume": 120,
  // The provider's own `timeouts`, which it keeps to for leases only, are 20 min by default.
  "libvirt:index/domain:Domain": 40,
  "libvirt:index/cloudinitDisk:CloudinitDisk": 15,
  "libvirt:index/network:Network": 15,
  "libvirt:index/pool:Pool": 15,
};

/** Operations in which the engine waits for a provider. */
const waits = /^(create|update|delete|read|refresh|import)/;

/**
 * Finds operations that do not end. One waits for another, as libvirt's provider does one thing at a time in a pool: the
 * longest limit of those under way counts, from the last begin or end of one.
 */
export class OverdueOperations {
  /** By URN: what is done, and its limit. */
  readonly #underWay = new Map<string, { readonly what: string; readonly minutes: number }>();
  #timer: NodeJS.Timeout | undefined;

  /** @param report called once operations are overdue, with which and what to do. */
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
      `no end of ${operations} in ${minutes} min, and the provider has no time limit of its own. See whether the host's ` +
      "libvirtd answers (`virsh list`, its log) and its pool has room"
    );
  }
}
