/** What stands in for a setting that is sealed, by its key; commands that need none of them read the others all the same. */
const standIns: Readonly<Record<string, readonly [key: string, value: string]>> = {
  text: ["file", "/sealed"],
  privateKey: ["privateKeyFile", "/sealed"],
};

/** Sections as written in a stack's file, with something else in the place of each sealed value (`secure: v1:...`). */
export function withoutSealed(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutSealed);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]): [string, unknown] => {
      if (!isSealed(inner)) return [key, withoutSealed(inner)];
      const [other, text] = standIns[key] ?? [key, "sealed"];
      return [other, text];
    }),
  );
}

function isSealed(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).length === 1 &&
    "secure" in value
  );
}
