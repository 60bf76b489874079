import { xmlText } from "../../../host/xml-text.ts";
import { markElement } from "./lab-mark.ts";
import { addedTo, stylesheet } from "./xslt.ts";

/**
 * Transforms the domain XML that the libvirt provider renders, for what the provider's arguments cannot express.
 *
 * The provider refers to disks by pool and volume. libvirt's AppArmor helper resolves neither volumes nor their bases,
 * so QEMU could not open them. The stylesheet replaces them with files and an explicit backing chain.
 *
 * The provider puts the identity disk on an IDE bus, which q35 machines do not have. The stylesheet puts it on
 * virtio-scsi, for which every Linux image that boots from a virtio disk has a driver (Debian's cloud kernel has none
 * for SATA).
 *
 * @param chain qcow2 files on the hypervisor's host: the machine's own disk, its base, and so on.
 * @param labId the lab's random id, which the domain carries. Undefined outside a lab.
 */
export function domainXslt(chain: readonly string[], labId: string | undefined): string {
  return stylesheet([
    ...onFiles(chain, "scsi"),
    addedTo("devices", ['<controller type="scsi" index="0" model="virtio-scsi"/>']),
    addedTo("domain", markIn(labId)),
  ]);
}

function markIn(labId: string | undefined): string[] {
  return labId === undefined ? [] : [markElement(labId)];
}

function onFiles(chain: readonly string[], identityBus: "scsi" | "sata"): string[] {
  return [
    `  <xsl:template match="disk[@device='disk']/@type">
    <xsl:attribute name="type">file</xsl:attribute>
  </xsl:template>
  <xsl:template match="disk[@device='disk']/source">
    ${sourceOf(chain)}
  </xsl:template>
  <xsl:template match="disk[@device='cdrom']/target">
    <target dev="sda" bus="${identityBus}"/>
  </xsl:template>`,
  ];
}

/** Renders a file with its backing chain. The empty element at the end keeps libvirt from probing for further files. */
function sourceOf(chain: readonly string[]): string {
  return chain.reduceRight((below, file) => {
    const backing =
      below === ""
        ? "<backingStore/>"
        : `<backingStore type="file"><format type="qcow2"/>${below}</backingStore>`;
    return `<source file="${xmlText(file)}"/>${backing}`;
  }, "");
}

/**
 * Hyper-V enlightenments, with which Windows reads the time and wakes processors without an exit from the guest.
 *
 * These are all that QEMU recommends (docs/system/i386/hyperv.rst), except `evmcs`, which is for nested guests on Intel
 * only, and `reset`. Without `stimer`, which needs `vpindex` and `synic`, an idle guest uses a large part of a
 * processor.
 */
const enlightenments = `<hyperv>
        <relaxed state="on"/>
        <vapic state="on"/>
        <spinlocks state="on" retries="4095"/>
        <vpindex state="on"/>
        <runtime state="on"/>
        <synic state="on"/>
        <stimer state="on"><direct state="on"/></stimer>
        <frequencies state="on"/>
        <tlbflush state="on"/>
        <ipi state="on"/>
      </hyperv>
      <vmport state="off"/>`;

/**
 * The clock is UTC, like the time zone of the image. Lost ticks of the RTC are caught up. There is no HPET, because
 * Windows would use it although it is slow.
 */
function clock(kvm: boolean): string {
  const hypervClock = kvm ? `\n        <timer name="hypervclock" present="yes"/>` : "";
  return `<clock offset="utc">
        <timer name="rtc" tickpolicy="catchup"/>
        <timer name="pit" tickpolicy="delay"/>
        <timer name="hpet" present="no"/>${hypervClock}
      </clock>`;
}

/**
 * The same for Windows, with enlightenments, a clock, a VNC screen that only this host can reach, an absolute pointer,
 * and discard, so that freed blocks are returned to the host. The provider itself renders the guest agent's channel and
 * the random number generator.
 *
 * The identity disk is on SATA, for which Windows has its own driver. The first boot removes the drive, and the
 * virtio-scsi driver since 0.1.266 may then crash Windows with a blue screen (kvm-guest-drivers-windows#1367).
 *
 * @param chain as for `domainXslt`.
 * @param labId as for `domainXslt`.
 * @param kvm whether KVM runs the machine. Only KVM supports Hyper-V enlightenments.
 */
export function windowsDomainXslt(
  chain: readonly string[],
  labId: string | undefined,
  kvm: boolean,
): string {
  return stylesheet([
    ...onFiles(chain, "sata"),
    addedTo("devices", [
      '<input type="tablet" bus="usb"/>',
      `<graphics type="vnc" autoport="yes" listen="127.0.0.1">
        <listen type="address" address="127.0.0.1"/>
      </graphics>`,
      '<video><model type="vga"/></video>',
    ]),
    addedTo("domain", [clock(kvm), ...markIn(labId)]),
    '  <xsl:template match="clock|graphics|video"/>',
    ...(kvm ? [addedTo("features", [enlightenments])] : []),
    `  <xsl:template match="disk[@device='disk']/driver">
    <xsl:copy><xsl:apply-templates select="@*"/><xsl:attribute name="discard">unmap</xsl:attribute></xsl:copy>
  </xsl:template>`,
  ]);
}
