/**
 * What the provider's settings can't say about a domain, as a transformation of the XML that it renders.
 *
 * The disk: the provider names it by pool and volume. libvirt's helper for AppArmor looks neither volumes nor their
 * bases up, and would let QEMU open none of them: they become files, each with what it stands on.
 *
 * The identity disk: the provider puts it on an IDE bus, which q35 machines don't have. It goes on virtio-scsi, whose
 * driver every Linux image has that boots from a virtio disk at all (Debian's cloud kernel has none for SATA).
 *
 * @param chain qcow2 files on the hypervisor's host: the machine's own, what that stands on, and so on.
 */
export function domainXslt(chain: readonly string[]): string {
  return stylesheet(chain, "scsi", ['<controller type="scsi" index="0" model="virtio-scsi"/>']);
}

function stylesheet(
  chain: readonly string[],
  identityBus: "scsi" | "sata",
  devices: readonly string[],
  templates: readonly string[] = [],
): string {
  return `<?xml version="1.0"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output omit-xml-declaration="yes" indent="yes"/>
  <xsl:template match="@*|node()">
    <xsl:copy><xsl:apply-templates select="@*|node()"/></xsl:copy>
  </xsl:template>
  <xsl:template match="disk[@device='disk']/@type">
    <xsl:attribute name="type">file</xsl:attribute>
  </xsl:template>
  <xsl:template match="disk[@device='disk']/source">
    ${sourceOf(chain)}
  </xsl:template>
${[addedTo("devices", devices.join("\n      ")), ...templates].join("\n")}
  <xsl:template match="disk[@device='cdrom']/target">
    <target dev="sda" bus="${identityBus}"/>
  </xsl:template>
</xsl:stylesheet>
`;
}

/** A file and what it stands on; an empty element is the end, and keeps libvirt from looking for more. */
function sourceOf(chain: readonly string[]): string {
  return chain.reduceRight((below, file) => {
    const backing =
      below === ""
        ? "<backingStore/>"
        : `<backingStore type="file"><format type="qcow2"/>${below}</backingStore>`;
    return `<source file="${file}"/>${backing}`;
  }, "");
}

function addedTo(element: string, xml: string): string {
  return `  <xsl:template match="${element}">
    <xsl:copy>
      <xsl:apply-templates select="@*|node()"/>
      ${xml}
    </xsl:copy>
  </xsl:template>`;
}

/**
 * Hyper-V's enlightenments: Windows then knows that it is a guest, and asks for time and wakes processors without
 * leaving the guest each time.
 *
 * All that QEMU recommends (docs/system/i386/hyperv.rst), but `evmcs`, which is for nested guests on Intel only, and
 * `reset`. Without `stimer`, which needs `vpindex` and `synic`, an idle guest costs a good part of a processor.
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
 * The clock is UTC, and so is the zone of the image. Lost ticks of the RTC are caught up; the HPET is a slow source
 * that Windows would take.
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
 * The provider's rendering of a domain, made fit for Windows: enlightenments, clock, a screen on VNC that only this
 * host can reach, a pointer that follows the viewer's, freed blocks given back to the host. The guest agent's channel
 * and random numbers the provider renders by itself.
 *
 * The identity disk is on SATA, whose driver is Windows' own: first boot takes the drive away for good, and virtio-scsi's
 * since 0.1.266 may stop Windows with a blue screen when its last drive goes (kvm-guest-drivers-windows#1367).
 *
 * @param chain as for every machine.
 * @param kvm whether KVM runs it: only KVM has Hyper-V's enlightenments.
 */
export function windowsDomainXslt(chain: readonly string[], kvm: boolean): string {
  return stylesheet(
    chain,
    "sata",
    [
      '<input type="tablet" bus="usb"/>',
      `<graphics type="vnc" autoport="yes" listen="127.0.0.1">
        <listen type="address" address="127.0.0.1"/>
      </graphics>`,
      '<video><model type="vga"/></video>',
    ],
    [
      addedTo("domain", clock(kvm)),
      '  <xsl:template match="clock|graphics|video"/>',
      ...(kvm ? [addedTo("features", enlightenments)] : []),
      `  <xsl:template match="disk[@device='disk']/driver">
    <xsl:copy><xsl:apply-templates select="@*"/><xsl:attribute name="discard">unmap</xsl:attribute></xsl:copy>
  </xsl:template>`,
    ],
  );
}
