/** A value that can be read off the source without running it. */
export type Literal = string | number | boolean | null;

const multipliers: Readonly<Record<string, number>> = {
  kb: 2 ** 10,
  mb: 2 ** 20,
  gb: 2 ** 30,
  tb: 2 ** 40,
};

/** The value of a PowerShell literal; undefined for any other expression. */
export function readLiteral(source: string): Literal | undefined {
  const text = source.trim();
  const single = /^'((?:[^']|'')*)'$/s.exec(text);
  if (single) return (single[1] ?? "").replaceAll("''", "'");
  const double = /^"([^"`$]*)"$/s.exec(text);
  if (double) return double[1];
  const number = /^([+-]?(?:0x[0-9a-f]+|\d+(?:\.\d+)?))(kb|mb|gb|tb)?$/i.exec(text);
  if (number) return Number(number[1]) * (multipliers[number[2]?.toLowerCase() ?? ""] ?? 1);
  switch (text.toLowerCase()) {
    case "$true":
      return true;
    case "$false":
      return false;
    case "$null":
      return null;
    default:
      return undefined;
  }
}
