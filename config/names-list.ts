/** Names in a text that separates them by commas, e.g. the value of an environment variable; none where there is none. */
export function namesIn(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
