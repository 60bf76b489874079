import { xmlText } from "../../../host/xml-text.ts";

/**
 * A stylesheet for the XML that the libvirt provider renders, for what its arguments cannot express. Copies everything
 * that the templates do not match.
 */
export function stylesheet(templates: readonly string[]): string {
  return `<?xml version="1.0"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output omit-xml-declaration="yes" indent="yes"/>
  <xsl:template match="@*|node()">
    <xsl:copy><xsl:apply-templates select="@*|node()"/></xsl:copy>
  </xsl:template>
${templates.join("\n")}
</xsl:stylesheet>
`;
}

/** Template that adds XML at the end of an element. There must be only one for each element. */
export function addedTo(element: string, xml: readonly string[]): string {
  return `  <xsl:template match="${element}">
    <xsl:copy>
      <xsl:apply-templates select="@*|node()"/>
      ${xml.join("\n      ")}
    </xsl:copy>
  </xsl:template>`;
}

/** Template that gives an element an attribute. There must be only one for each element. */
export function withAttribute(element: string, name: string, value: string): string {
  return `  <xsl:template match="${element}">
    <xsl:copy>
      <xsl:attribute name="${name}">${xmlText(value)}</xsl:attribute>
      <xsl:apply-templates select="@*|node()"/>
    </xsl:copy>
  </xsl:template>`;
}

/** Makes a volume readable for its owner only. The provider's own mode is 644. */
export const closedVolumeXslt = stylesheet([
  '  <xsl:template match="permissions/mode"><mode>0600</mode></xsl:template>',
]);
