import { execa } from "execa";

/** Prints each setting of an answer file on a line: pass, component, path, value; separated by tabs. */
const stylesheet = `<?xml version="1.0"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:u="urn:schemas-microsoft-com:unattend">
  <xsl:output method="text"/>
  <xsl:template match="text()"/>
  <xsl:template match="u:component//*[not(*)]">
    <xsl:value-of select="ancestor::u:settings/@pass"/><xsl:text>&#9;</xsl:text>
    <xsl:value-of select="ancestor::u:component/@name"/><xsl:text>&#9;</xsl:text>
    <xsl:for-each select="ancestor-or-self::*[ancestor::u:component]">
      <xsl:if test="position() > 1">/</xsl:if>
      <xsl:value-of select="name()"/>
    </xsl:for-each>
    <xsl:text>&#9;</xsl:text><xsl:value-of select="."/><xsl:text>&#10;</xsl:text>
  </xsl:template>
</xsl:stylesheet>`;

/** A setting as Windows Setup finds it. */
export interface Setting {
  readonly pass: string;
  readonly component: string;
  readonly path: string;
  readonly value: string;
}

/** All settings of an answer file, in its order; fails where it is not well-formed XML. */
export async function settingsOf(answerFile: string): Promise<Setting[]> {
  const { stdout } = await execa(
    "bash",
    ["-c", 'exec xsltproc --nonet <(printf %s "$STYLESHEET") -'],
    { input: answerFile, env: { STYLESHEET: stylesheet } },
  );
  return stdout.split("\n").map((line) => {
    const [pass = "", component = "", path = "", value = ""] = line.split("\t");
    return { pass, component, path, value };
  });
}
