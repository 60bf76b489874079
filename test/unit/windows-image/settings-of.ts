import assert from "node:assert/strict";
import { execa } from "execa";

/** Prints each setting of an answer file on a line: pass, component, place, value; separated by tabs. */
const stylesheet = `<?xml version="1.0"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:u="urn:schemas-microsoft-com:unattend">
  <xsl:output method="text"/>
  <xsl:template match="text()"/>
  <xsl:template match="u:component//*[not(*)]">
    <xsl:value-of select="ancestor::u:settings/@pass"/><xsl:text>&#9;</xsl:text>
    <xsl:for-each select="ancestor::u:component/@*">
      <xsl:value-of select="."/><xsl:text> </xsl:text>
    </xsl:for-each>
    <xsl:text>&#9;</xsl:text>
    <xsl:for-each select="ancestor-or-self::*[ancestor::u:component]">
      <xsl:if test="position() > 1">/</xsl:if>
      <xsl:value-of select="name()"/>
      <xsl:for-each select="@*">
        <xsl:value-of select="concat('[', name(), '=', ., ']')"/>
      </xsl:for-each>
    </xsl:for-each>
    <xsl:text>&#9;</xsl:text><xsl:value-of select="."/><xsl:text>&#10;</xsl:text>
  </xsl:template>
</xsl:stylesheet>`;

/** A setting as Windows Setup finds it. */
export interface Setting {
  readonly pass: string;
  readonly component: string;
  /** Names of its elements, and of those around it. */
  readonly path: string;
  /** The same, each with its attributes in brackets. */
  readonly place: string;
  readonly value: string;
}

/** Attributes that each component must have, behind its name. */
const everyComponent = / amd64 31bf3856ad364e35 neutral nonSxS $/;

/** All settings of an answer file, in its order; fails where it is not well-formed XML, or where a component is not as all are. */
export async function settingsOf(answerFile: string): Promise<Setting[]> {
  const { stdout } = await execa(
    "bash",
    ["-c", 'exec xsltproc --nonet <(printf %s "$STYLESHEET") -'],
    { input: answerFile, env: { STYLESHEET: stylesheet } },
  );
  return stdout.split("\n").map((line) => {
    const [pass = "", component = "", place = "", value = ""] = line.split("\t");
    assert.match(component, everyComponent);
    const path = place.replaceAll(/\[[^\]]*\]/g, "");
    return { pass, component: component.replace(everyComponent, ""), path, place, value };
  });
}
