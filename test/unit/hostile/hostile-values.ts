import fc from "fast-check";

/** Values that are not what a reader expects, whatever that is. */
const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, 0, -1, 1e300, true, "", " ", "\0", "x", [], [null], [[]], {}),
  fc.constantFrom<unknown>({ name: 5 }, { items: 5 }, { "": null }, "__proto__", "a".repeat(5000)),
  fc.constantFrom<unknown>("${x}", "%s%n", "\u001b[2J", "\ud800", "https://", "2026-99-99", "::::"),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.jsonValue({ maxDepth: 2 }),
);

type Path = readonly (string | number)[];

/** Every place in a value, itself included. */
function placesIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [at];
  const keys: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const inside = (key: string | number): unknown =>
    (value as Record<string | number, unknown>)[key];
  return [at, ...keys.flatMap((key) => placesIn(inside(key), [...at, key]))];
}

function replaced(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  if (key === undefined || typeof value !== "object" || value === null) return other;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<
    string | number,
    unknown
  >;
  const inner = replaced(copy[key], rest, other);
  if (inner === undefined && !Array.isArray(copy)) Reflect.deleteProperty(copy, key);
  else copy[key] = inner ?? null;
  return copy;
}

/** A good value in JSON, of which some places hold something else or nothing. */
export function damaged(good: unknown): fc.Arbitrary<unknown> {
  const damage = fc.tuple(
    fc.constantFrom(...placesIn(good)),
    fc.oneof({ weight: 1, arbitrary: fc.constant(undefined) }, { weight: 4, arbitrary: odd }),
  );
  return fc
    .array(damage, { minLength: 1, maxLength: 3 })
    .map((all) => all.reduce((value, [at, other]) => replaced(value, at, other), good) ?? null);
}

export function damagedJson(good: unknown): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 8, arbitrary: damaged(good).map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: damagedText(JSON.stringify(good)) },
  );
}

const pieces: readonly string[] = [
  ..."\0\n\r\t \\'\"`$%&*<>[]{}(),:;#!|-=/@^~",
  ...[
    "\u2019",
    "\ufeff",
    "\ud800",
    "\u001b]0;x\u0007",
    "<!DOCTYPE a [",
    "]]>",
    "&a *a ",
    "!!js ",
    "../",
  ],
];

/** A good text, cut off, with something in it, or with a part twice; or any text. */
export function damagedText(good: string): fc.Arbitrary<string> {
  const at = fc.nat(good.length);
  return fc.oneof(
    at.map((end) => good.slice(0, end)),
    fc
      .tuple(at, fc.constantFrom(...pieces), fc.integer({ min: 1, max: 50 }))
      .map(
        ([place, piece, times]) => good.slice(0, place) + piece.repeat(times) + good.slice(place),
      ),
    fc.tuple(at, at).map(([a, b]) => good + good.slice(Math.min(a, b), Math.max(a, b))),
    fc.tuple(at, at).map(([a, b]) => good.slice(0, Math.min(a, b)) + good.slice(Math.max(a, b))),
    fc.string({ unit: "binary", maxLength: 200 }),
  );
}

/** A good file, cut off or with other bytes in it; or any bytes. */
export function damagedBytes(good: Buffer): fc.Arbitrary<Buffer> {
  const at = fc.nat(good.length - 1);
  const written = fc.tuple(at, fc.uint8Array({ minLength: 1, maxLength: 16 }));
  return fc.oneof(
    at.map((end) => good.subarray(0, end)),
    fc.array(written, { minLength: 1, maxLength: 4 }).map((all) => {
      const copy = Buffer.from(good);
      for (const [place, bytes] of all) copy.set(bytes.slice(0, copy.length - place), place);
      return copy;
    }),
    fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
  );
}
