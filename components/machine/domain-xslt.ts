/** What a transformation does beyond what every machine needs. */
export interface DomainChanges {
  /** Devices that are added. */
  readonly devices?: readonly string[];
  /** Templates for other parts of the domain. */
  readonly templates?: readonly string[];
}

/**
 * What the provider's settings can't say about a domain, as a transformation of the XML that it renders.
 *
 * The identity disk: the provider puts it on an IDE bus, which q35 machines don't have. It goes on virtio-scsi, whose
 * driver every image has that boots from a virtio disk at all (Debian's cloud kernel has none for SATA).
 */
export function domainXslt({ devices = [], templates = [] }: DomainChanges = {}): string {
  const added = ['<controller type="scsi" index="0" model="virtio-scsi"/>', ...devices];
  return `<?xml version="1.0"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output omit-xml-declaration="yes" indent="yes"/>
  <xsl:template match="@*|node()">
    <xsl:copy><xsl:apply-templates select="@*|node()"/></xsl:copy>
  </xsl:template>
${[addedTo("devices", added.join("\n      ")), ...templates].join("\n")}
  <xsl:template match="disk[@device='cdrom']/target">
    <target dev="sda" bus="scsi"/>
  </xsl:template>
</xsl:stylesheet>
`;
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
