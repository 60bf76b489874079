/** DateTime, TimeSpan and Stopwatch. */
import { badFormat } from "../../powershell/dotnet/exceptions.ts";
import type { Clock, Host } from "../../powershell/host.ts";
import { toDouble, types, type Types } from "../../powershell/types.ts";
import { NetObject, Unsupported, type Num, type Value } from "../../powershell/values.ts";

export interface Moment {
  /** Since 1970, in UTC or local time as `kind` says. */
  readonly milliseconds: number;
  readonly kind: "Unspecified" | "Utc" | "Local";
}
type DateTime = NetObject<Moment>;
type TimeSpan = NetObject<number>;

/** Converts milliseconds since 1970 to a DateTime, in UTC or local time. */
export function toDateTime(
  set: Types,
  { clock }: Pick<Host, "clock">,
  milliseconds: number,
  utc: boolean,
): DateTime {
  const whole = Math.floor(milliseconds);
  const state: Moment = utc
    ? { milliseconds: whole, kind: "Utc" }
    : { milliseconds: whole + clock.offset(whole) * 60_000, kind: "Local" };
  return new NetObject(set.get("System.DateTime"), state);
}

/** Converts a DateTime to milliseconds since 1970. One of unspecified kind is taken as local. */
export function fromDateTime(value: Value, clock: Clock): number {
  const { milliseconds, kind } = (value as DateTime).state;
  const guess = clock.offset(milliseconds) * 60_000;
  return kind === "Utc" ? milliseconds : milliseconds - clock.offset(milliseconds - guess) * 60_000;
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
    // 5.1 rounds to whole milliseconds.
    "FromSeconds(double)": ({ value }: Num) => new NetObject(timeSpan, Math.round(value * 1000)),
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
  const date = new Date(state.milliseconds);
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
export function defineTimeTypes(set: Types, host: Host): void {
  const { clock } = host;
  const moment = (milliseconds: number, kind: Moment["kind"]): DateTime =>
    new NetObject(dateTime, { milliseconds, kind });
  const add =
    (unit: number) =>
    ({ state }: DateTime, { value }: Num) =>
      moment(state.milliseconds + Math.round(value * unit), state.kind);
  const parse = (text: string, as: string) => {
    if (as !== "r") throw new Unsupported(`the date format ${as}`);
    const parsed = Number.isNaN(Date.parse(text)) ? undefined : moment(Date.parse(text), "Utc");
    if (!parsed || format(parsed, as).toLowerCase() !== text.toLowerCase()) {
      throw badFormat("String was not recognized as a valid DateTime.");
    }
    return new NetObject(dateTimeOffset, parsed);
  };
  const dateTimeOffset = set.define({
    name: "System.DateTimeOffset",
    properties: { UtcDateTime: ({ state }: NetObject<DateTime>) => state },
    methods: {
      "ToString()": () => {
        throw new Unsupported("a DateTimeOffset in a text");
      },
    },
    staticMethods: { "ParseExact(string, string, System.IFormatProvider)": parse },
  });
  const dateTime = set.define({
    name: "System.DateTime",
    aliases: ["datetime"],
    isValueType: true,
    compare: (left: DateTime, right: DateTime) =>
      left.state.milliseconds - right.state.milliseconds,
    subtract: (later: DateTime, earlier: DateTime) =>
      new NetObject(timeSpan, later.state.milliseconds - earlier.state.milliseconds),
    properties: {
      Ticks: ({ state }: DateTime) => epoch + BigInt(state.milliseconds) * 10_000n,
    },
    methods: {
      "ToString()": (self: DateTime) => format(self, "G"),
      "ToString(string)": format,
      "ToUniversalTime()": (self: DateTime) => moment(fromDateTime(self, clock), "Utc"),
      "ToLocalTime()": (self: DateTime) =>
        self.state.kind === "Local" ? self : toDateTime(set, host, self.state.milliseconds, false),
      "AddSeconds(double)": add(1000),
      "AddMinutes(double)": add(60_000),
      "AddDays(double)": add(86_400_000),
    },
    staticProperties: { UtcNow: () => toDateTime(set, host, clock.now(), true) },
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
