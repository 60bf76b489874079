/** A line of a container's log as the CRI writes it: time, stream, whether the line goes on, text. */
const form = /^\S+ (?:stdout|stderr) ([FP])(?::\S*)? ?(.*)$/s;

/** Characters of the longest line that is put together. */
const longest = 64 * 1024;

/**
 * Takes the lines of a container out of its log. containerd writes a long one in parts of 16 KiB, which are put
 * together again: a secret may lie on a border.
 */
export class ContainerLines {
  #begun = "";
  #tooLong = 0;

  /** @returns nothing while the line is not whole. */
  read(line: string): string | undefined {
    const [, kind, text = line] = form.exec(line) ?? [];
    const room = longest - this.#begun.length;
    this.#begun += text.slice(0, room);
    this.#tooLong += Math.max(0, text.length - room);
    if (kind === "P") return undefined;
    const whole = this.#begun;
    const dropped = this.#tooLong;
    this.#begun = "";
    this.#tooLong = 0;
    if (dropped === 0) return whole;
    const safe = whole.replace(/\S*$/, "");
    return `${safe}[${dropped + whole.length - safe.length} characters left out]`;
  }
}
