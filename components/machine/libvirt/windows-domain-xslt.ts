import { addedTo, domainXslt } from "./domain-xslt.ts";

/** What differs between hosts in how a machine with Windows is described. */
export interface WindowsDomain {
  /** Whether KVM runs it: only KVM has Hyper-V's enlightenments. */
  readonly kvm: boolean;
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
function clock({ kvm }: WindowsDomain): string {
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
 */
export function windowsDomainXslt(chain: readonly string[], domain: WindowsDomain): string {
  return domainXslt(chain, {
    identityBus: "sata",
    devices: [
      '<input type="tablet" bus="usb"/>',
      `<graphics type="vnc" autoport="yes" listen="127.0.0.1">
        <listen type="address" address="127.0.0.1"/>
      </graphics>`,
      '<video><model type="vga"/></video>',
    ],
    templates: [
      addedTo("domain", clock(domain)),
      '  <xsl:template match="clock|graphics|video"/>',
      ...(domain.kvm ? [addedTo("features", enlightenments)] : []),
      `  <xsl:template match="disk[@device='disk']/driver">
    <xsl:copy><xsl:apply-templates select="@*"/><xsl:attribute name="discard">unmap</xsl:attribute></xsl:copy>
  </xsl:template>`,
    ],
  });
}
