/** Characters of C0 that XML 1.0 has no place for, not even escaped. */
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g;

/** Text as it stands in XML and HTML, in elements and in quoted attributes. */
export function escaped(text: string): string {
  return text
    .replace(forbidden, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
