const [escape, csi, osc, bell, end] = ["\u001b", "\u009b", "\u009d", "\u0007", "\u009c"];

/**
 * What commands a terminal (ECMA-48): CSI, OSC and its other sequences. No repetition passes an escape, so any text takes
 * linear time; that of Node.js' stripVTControlCharacters is quadratic for OSC without an end.
 */
const sequences = new RegExp(
  [
    String.raw`(?:${escape}\[|${csi})[0-?]*[ -/]*[@-~]`,
    String.raw`(?:${escape}\]|${osc})[^${escape}${bell}${end}]*(?:${bell}|${end}|${escape}\\)`,
    String.raw`${escape}[ -/]*[0-Z\\^-~]`,
  ].join("|"),
  "gu",
);

/** A text that may come from a guest or a pod, without what would command a terminal. Keeps tabs and line breaks. */
export function withoutControls(text: string): string {
  return text.replaceAll(sequences, "").replaceAll(/[^\P{Cc}\t\n]/gu, "");
}
