/** What a transformation does beyond what every machine needs. */
export interface DomainChanges {
  /** Where the identity disk goes. Default: on virtio-scsi. */
  readonly identityBus?: "scsi" | "sata";
  /** Devices that are added. */
  readonly devices?: readonly string[];
  /** Templates for other parts of the domain. */
  readonly templates?: readonly string[];
}

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
export function domainXslt(
  chain: readonly string[],
  { identityBus = "scsi", devices = [], templates = [] }: DomainChanges = {},
): string {
  const added = [
    ...(identityBus === "scsi" ? ['<controller type="scsi" index="0" model="virtio-scsi"/>'] : []),
    ...devices,
  ];
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
${[addedTo("devices", added.join("\n      ")), ...templates].join("\n")}
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

/** The template that leaves an element as it is and adds to its end. */
export function addedTo(element: string, xml: string): string {
  return `  <xsl:template match="${element}">
    <xsl:copy>
      <xsl:apply-templates select="@*|node()"/>
      ${xml}
    </xsl:copy>
  </xsl:template>`;
}
