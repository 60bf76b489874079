/**
 * What the provider's settings can't say about a domain, as a transformation of the XML that it renders.
 *
 * The identity disk: the provider puts it on an IDE bus, which q35 machines don't have. It goes on virtio-scsi, whose
 * driver every image has that boots from a virtio disk at all (Debian's cloud kernel has none for SATA).
 */
export function domainXslt(): string {
  return `<?xml version="1.0"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output omit-xml-declaration="yes" indent="yes"/>
  <xsl:template match="@*|node()">
    <xsl:copy><xsl:apply-templates select="@*|node()"/></xsl:copy>
  </xsl:template>
  <xsl:template match="devices">
    <xsl:copy>
      <xsl:apply-templates select="@*|node()"/>
      <controller type="scsi" index="0" model="virtio-scsi"/>
    </xsl:copy>
  </xsl:template>
  <xsl:template match="disk[@device='cdrom']/target">
    <target dev="sda" bus="scsi"/>
  </xsl:template>
</xsl:stylesheet>
`;
}
