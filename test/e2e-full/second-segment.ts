import { execa } from "execa";

/** A segment on "another host" that is this one: a bridge of its own, and a cable between it and the lab's. */
export class SecondSegment {
  private readonly port: string;
  /** Docker closes FORWARD, and on many hosts that is for bridged packets too (br_netfilter). */
  private readonly rule: readonly string[];
  private watch: NodeJS.Timeout | undefined;

  /**
   * @param bridge to make, of at most 13 characters.
   * @param labBridge bridge that it is one segment with; comes and goes with the lab.
   */
  constructor(
    readonly bridge: string,
    private readonly labBridge: string,
  ) {
    this.port = `${bridge}-l`;
    this.rule = ["FORWARD", "-i", bridge, "-o", bridge, "-j", "ACCEPT"];
  }

  /** Makes the bridge, and from now on plugs the cable in whenever the lab's bridge is there, as a hook of libvirt's does. */
  async make(): Promise<void> {
    await this.remove();
    await execa("ip", ["link", "add", this.bridge, "type", "bridge"]);
    await execa("ip", ["link", "set", this.bridge, "up"]);
    await execa("iptables", ["-I", ...this.rule]);
    this.watch = setInterval(() => void this.plug(), 500);
  }

  private async plug(): Promise<void> {
    const isThere = async (name: string): Promise<boolean> =>
      (await execa("ip", ["link", "show", name], { reject: false })).exitCode === 0;
    if (!(await isThere(this.labBridge)) || (await isThere(this.port))) return;
    const there = `${this.bridge}-r`;
    const quietly = { reject: false };
    await execa("ip", ["link", "add", this.port, "type", "veth", "peer", there], quietly);
    await execa("ip", ["link", "set", there, "master", this.bridge, "up"], quietly);
    await execa("ip", ["link", "set", this.port, "master", this.labBridge, "up"], quietly);
  }

  /** Removes both; fine when there is none. */
  async remove(): Promise<void> {
    clearInterval(this.watch);
    await execa("iptables", ["-D", ...this.rule], { reject: false });
    for (const each of [this.port, this.bridge]) {
      await execa("ip", ["link", "delete", each], { reject: false });
    }
  }
}
