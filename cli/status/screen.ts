/** Where the cursor goes and what is erased: ECMA-48, as every terminal of today has it. */
const home = "\u001b[H";
const eraseScreen = "\u001b[2J";
const eraseRestOfLine = "\u001b[K";
const eraseBelow = "\u001b[J";

/** Size of a terminal, in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * What a terminal must get to show a text in place of the one before, without flicker: nothing is erased before the new
 * text is there. Of a text that has no room the end is left out, so that its beginning does not scroll away.
 *
 * @param first whether something else is on the screen yet.
 */
export function redraw(text: string, size: ScreenSize, first: boolean): string {
  const lines = fitting(text.split("\n"), size);
  const drawn = lines.map((line) => `${line}${eraseRestOfLine}`).join("\n");
  return `${first ? eraseScreen : ""}${home}${drawn}\n${eraseBelow}`;
}

function fitting(lines: readonly string[], { columns, rows }: ScreenSize): readonly string[] {
  // The last row stays empty: a line break there would scroll.
  const room = Math.max(rows - 1, 1);
  const height = (line: string): number => Math.max(1, Math.ceil(line.length / columns));
  const total = lines.reduce((sum, line) => sum + height(line), 0);
  if (total <= room) {
    return lines;
  }
  let used = 1;
  const shown = lines.filter((line) => (used += height(line)) <= room);
  return [...shown, `... ${lines.length - shown.length} more lines: make the window higher`];
}
