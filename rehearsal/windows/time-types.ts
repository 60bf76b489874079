/** DateTime, TimeSpan and Stopwatch. */
import { isNumeric, plainNumber } from "../powershell/convert.ts";
import { badFormat } from "../powershell/dotnet/exceptions.ts";
import type { Clock, ScriptHost } from "../powershell/host.ts";
import { toDouble, types, type Types } from "../powershell/types.ts";
import { NetObject, Unsupported, type Num, type Value } from "../powershell/values.ts";

/** .NET's unit of time, 100 ns, in a millisecond. */
const ticksInMillisecond = 10_000;

export interface Moment {
  /** Since 1970, in UTC or local time as `kind` says. */
  readonly ticks: bigint;
  readonly kind: "Unspecified" | "Utc" | "Local";
}
type DateTime = NetObject<Moment>;
/** Its milliseconds. */
type TimeSpan = NetObject<number>;

/** .NET's times begin with the year 1 and end with 9999. */
const firstMoment = Date.parse("0001-01-01T00:00:00Z");
const lastMoment = Date.parse("9999-12-31T23:59:59.999Z");

/** The ticks of a moment, if it is one. */
export function ticksOfMoment(ticks: bigint): bigint {
  const at = toMilliseconds(ticks);
  if (at < firstMoment || at > lastMoment) throw new Unsupported("a time as far away as that");
  return ticks;
}

export function toTicks(milliseconds: number): bigint {
  return BigInt(Math.floor(milliseconds) * ticksInMillisecond);
}

export function toMilliseconds(ticks: bigint): number {
  return Math.floor(Number(ticks) / ticksInMillisecond);
}

/** Converts ticks since 1970 to a DateTime, in UTC or local time. */
export function toDateTime(
  set: Types,
  { clock }: Pick<ScriptHost, "clock">,
  ticks: bigint,
  utc: boolean,
): DateTime {
  const state: Moment = utc
    ? { ticks, kind: "Utc" }
    : { ticks: ticks + offset(clock, ticks), kind: "Local" };
  return new NetObject(set.get("System.DateTime"), state);
}

/** Local time minus UTC, in ticks. */
function offset(clock: Clock, ticks: bigint): bigint {
  return toTicks(clock.offset(toMilliseconds(ticks)) * 60_000);
}

function toUniversal({ ticks, kind }: Moment, clock: Clock): bigint {
  return kind === "Utc" ? ticks : ticks - offset(clock, ticks - offset(clock, ticks));
}

/** Converts a DateTime to milliseconds since 1970. One of unspecified kind is taken as local. */
export function fromDateTime(value: Value, clock: Clock): number {
  return toMilliseconds(toUniversal((value as DateTime).state, clock));
}

export function millisecondsOf(span: Value): number {
  return (span as TimeSpan).state;
}

const timeSpan = types.define({
  name: "System.TimeSpan",
  aliases: ["timespan"],
  isValueType: true,
  properties: { TotalSeconds: ({ state }: TimeSpan) => toDouble(state / 1000) },
  methods: {
    "ToString()": () => {
      throw new Unsupported("a TimeSpan in a text");
    },
  },
  staticMethods: {
    "FromSeconds(object)": (value: Value) => {
      // 7 has more overloads, and for some values cannot choose.
      if (!isNumeric(value)) throw new Unsupported("seconds that are no number");
      // 5.1 rounds to whole milliseconds.
      const milliseconds = Math.round(plainNumber(value) * 1000);
      // .NET counts in ticks of 100 ns, in 64 bits.
      if (!(Math.abs(milliseconds) < 2 ** 63 / 10_000)) {
        throw new Unsupported("a TimeSpan beyond its limits");
      }
      return new NetObject(timeSpan, milliseconds);
    },
  },
});

/** Positions of the parts of an ISO 8601 date. */
const parts: Readonly<Record<string, readonly [start: number, end: number]>> = {
  yyyy: [0, 4],
  MM: [5, 7],
  dd: [8, 10],
  HH: [11, 13],
  mm: [14, 16],
  ss: [17, 19],
};

/** Formats a DateTime in the invariant culture. */
function format({ state }: DateTime, as: string): string {
  const date = new Date(toMilliseconds(state.ticks));
  if (as === "r") return date.toUTCString();
  const written = as === "G" ? "MM/dd/yyyy HH:mm:ss" : as;
  if (!/^(?:yyyy|MM|dd|HH|mm|ss|[-TZ/.: ]){2,}$/.test(written)) {
    throw new Unsupported(`the date format ${as}`);
  }
  return written.replace(/[a-zH]+|MM/g, (part) => date.toISOString().slice(...(parts[part] ?? [])));
}

/** 1970-01-01 in ticks: units of 100 ns since the year 1. */
const epoch = 621_355_968_000_000_000n;

/** Defines DateTime and Stopwatch, which use the clock of a machine. */
export function defineTimeTypes(set: Types, host: ScriptHost): void {
  const { clock } = host;
  const moment = (ticks: bigint, kind: Moment["kind"]): DateTime =>
    new NetObject(dateTime, { ticks: ticksOfMoment(ticks), kind });
  // 5.1 rounds to whole milliseconds.
  const add =
    (unit: number) =>
    ({ state }: DateTime, { value }: Num) =>
      moment(
        state.ticks + toTicks(Math.sign(value) * Math.round(Math.abs(value * unit))),
        state.kind,
      );
  const parse = (text: string, as: string) => {
    if (as !== "r") throw new Unsupported(`the date format ${as}`);
    const parsed = Number.isNaN(Date.parse(text))
      ? undefined
      : moment(toTicks(Date.parse(text)), "Utc");
    if (!parsed || format(parsed, as).toLowerCase() !== text.toLowerCase()) {
      throw badFormat("String was not recognized as a valid DateTime.");
    }
    return new NetObject(dateTimeOffset, parsed);
  };
  const dateTimeOffset = set.define({
    name: "System.DateTimeOffset",
    isValueType: true,
    properties: { UtcDateTime: ({ state }: NetObject<DateTime>) => state },
    methods: {
      "ToString()": () => {
        throw new Unsupported("a DateTimeOffset in a text");
      },
    },
    staticMethods: { "ParseExact(string, string, System.IFormatProvider?)": parse },
  });
  const dateTime = set.define({
    name: "System.DateTime",
    aliases: ["datetime"],
    isValueType: true,
    compare: (left: DateTime, right: DateTime) => Number(left.state.ticks - right.state.ticks),
    subtract: (later: DateTime, earlier: DateTime) =>
      new NetObject(timeSpan, Number(later.state.ticks - earlier.state.ticks) / ticksInMillisecond),
    properties: { Ticks: ({ state }: DateTime) => epoch + state.ticks },
    methods: {
      "ToString()": (self: DateTime) => format(self, "G"),
      "ToString(string)": format,
      "ToUniversalTime()": (self: DateTime) => moment(toUniversal(self.state, clock), "Utc"),
      "ToLocalTime()": (self: DateTime) =>
        self.state.kind === "Local" ? self : toDateTime(set, host, self.state.ticks, false),
      "AddSeconds(double)": add(1000),
      "AddMinutes(double)": add(60_000),
      "AddDays(double)": add(86_400_000),
    },
    staticProperties: { UtcNow: () => toDateTime(set, host, toTicks(clock.now()), true) },
  });

  type Stopwatch = NetObject<{ readonly started: number }>;
  const stopwatch = set.define({
    name: "System.Diagnostics.Stopwatch",
    properties: {
      Elapsed: ({ state }: Stopwatch) => new NetObject(timeSpan, clock.elapsed() - state.started),
    },
    staticMethods: { "StartNew()": () => new NetObject(stopwatch, { started: clock.elapsed() }) },
  });
}
