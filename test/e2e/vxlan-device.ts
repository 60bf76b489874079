import { inContainer } from "./lab.ts";

/** What a node's kernel says of the device through which packets to pods of other nodes go. */
export interface VxlanDevice {
  readonly mtu: number;
  /** Packets so far. */
  readonly received: number;
  readonly sent: number;
}

/** Calico's device on a node in a container. */
export async function vxlanDevice(container: string): Promise<VxlanDevice> {
  const shown = await inContainer(container, "ip", "-s", "-j", "link", "show", "vxlan.calico");
  const [{ mtu, stats64 }] = JSON.parse(shown) as [
    { mtu: number; stats64: Record<"rx" | "tx", { packets: number }> },
  ];
  return { mtu, received: stats64.rx.packets, sent: stats64.tx.packets };
}
