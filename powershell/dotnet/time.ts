/** Moments, spans of time and stopwatches, and what the operators make of them. */
import {
  formatDate,
  parseDate,
  ticksPerSecond,
  toMilliseconds,
  toTicks,
  type Moment,
} from "../dates.ts";
import type { Clock, Host } from "../host.ts";
import { raised, toDouble, types, type Types } from "../types.ts";
import {
  NetObject,
  Unsupported,
  type EnumValue,
  type NetType,
  type Num,
  type PsArray,
  type Value,
} from "../values.ts";
import { badFormat } from "./exceptions.ts";
import { Ordered } from "./numbers.ts";

/** The state of a DateTime. */
class DateTimeState extends Ordered implements Moment {
  constructor(
    readonly ticks: bigint,
    readonly kind: Moment["kind"],
  ) {
    super();
  }

  override compareTo(other: unknown): number | undefined {
    return other instanceof DateTimeState ? compareTicks(this.ticks, other.ticks) : undefined;
  }
}

class TimeSpanState extends Ordered {
  constructor(readonly ticks: bigint) {
    super();
  }

  override compareTo(other: unknown): number | undefined {
    return other instanceof TimeSpanState ? compareTicks(this.ticks, other.ticks) : undefined;
  }
}

type DateTime = NetObject<DateTimeState>;
type TimeSpan = NetObject<TimeSpanState>;

function compareTicks(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** How two objects of .NET compare; undefined: they do not. */
export function compareNet(left: Value, right: Value): number | undefined {
  return left instanceof NetObject && right instanceof NetObject && left.state instanceof Ordered
    ? left.state.compareTo(right.state)
    : undefined;
}

/** Sums and differences of moments and spans; undefined: it is nothing of that kind. */
export function arithmeticNet(operator: string, left: Value, right: Value): Value | undefined {
  if (!(left instanceof NetObject) || !(right instanceof NetObject)) {
    return undefined;
  }
  const first: unknown = left.state;
  const second: unknown = right.state;
  const sign = operator === "-" ? -1n : 1n;
  if ((operator !== "+" && operator !== "-") || !(first instanceof Ordered)) {
    return undefined;
  }
  if (first instanceof DateTimeState && second instanceof TimeSpanState) {
    return moved(left as DateTime, sign * second.ticks);
  }
  if (first instanceof DateTimeState && second instanceof DateTimeState && operator === "-") {
    return timeSpan(first.ticks - second.ticks);
  }
  return first instanceof TimeSpanState && second instanceof TimeSpanState
    ? timeSpan(first.ticks + sign * second.ticks)
    : undefined;
}

const lastTick = 3_155_378_975_999_999_999n;

function moved(moment: DateTime, ticks: bigint): DateTime {
  const sum = moment.state.ticks + ticks;
  if (sum < 0n || sum > lastTick) {
    throw raised(
      "System.ArgumentOutOfRangeException",
      "The added or subtracted value results in an un-representable DateTime.",
    );
  }
  return new NetObject(moment.type, new DateTimeState(sum, moment.state.kind));
}

/** A moment out of milliseconds since 1970, in universal or local time. */
export function toDateTime(
  set: Types,
  host: Pick<Host, "clock">,
  milliseconds: number,
  utc: boolean,
): DateTime {
  const offset = utc ? 0 : host.clock.offset(milliseconds);
  return new NetObject(
    set.get("System.DateTime"),
    new DateTimeState(toTicks(milliseconds + offset * 60_000), utc ? "Utc" : "Local"),
  );
}

/** Milliseconds since 1970 of a DateTime; one of no kind is taken to be local. */
export function fromDateTime(value: Value, clock: Clock): number {
  const { state } = value as DateTime;
  const milliseconds = toMilliseconds(state.ticks);
  return state.kind === "Utc"
    ? milliseconds
    : milliseconds - offsetOfLocal(milliseconds, clock) * 60_000;
}

/** Minutes ahead of UTC at a moment that is given in local time. */
function offsetOfLocal(local: number, clock: Clock): number {
  return clock.offset(local - clock.offset(local) * 60_000);
}

// Spans

/** 5.1 rounds to whole milliseconds. */
function spanOf(value: number, milliseconds: number): TimeSpan {
  const total = value * milliseconds;
  if (!(Math.abs(total) < 922_337_203_685_477)) {
    throw raised(
      "System.OverflowException",
      "TimeSpan overflowed because the duration is too long.",
    );
  }
  return timeSpan(BigInt(Math.trunc(total + Math.sign(total) / 2)) * 10_000n);
}

export function timeSpan(ticks: bigint): TimeSpan {
  return new NetObject(timeSpanType, new TimeSpanState(ticks));
}

/** Milliseconds of a TimeSpan. */
export function millisecondsOf(span: Value): number {
  return Number((span as TimeSpan).state.ticks) / 10_000;
}

function spanText({ state: { ticks } }: TimeSpan): string {
  const size = ticks < 0n ? -ticks : ticks;
  const seconds = size / ticksPerSecond;
  const two = (value: bigint) => String(value).padStart(2, "0");
  const days = seconds / 86_400n;
  const fraction = size % ticksPerSecond;
  return [
    ticks < 0n ? "-" : "",
    days === 0n ? "" : `${String(days)}.`,
    `${two((seconds / 3600n) % 24n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}`,
    fraction === 0n ? "" : `.${String(fraction).padStart(7, "0")}`,
  ].join("");
}

function parseSpan(text: string): TimeSpan {
  const form =
    /^\s*(-?)(?:(\d+)|(?:(\d+)\.)?([01]?\d|2[0-3]):([0-5]?\d)(?::([0-5]?\d)(?:\.(\d{1,7}))?)?)\s*$/;
  const found = form.exec(text);
  if (!found) {
    throw badFormat("String was not recognized as a valid TimeSpan.");
  }
  const [, sign, lone = 0, days = lone, hours = 0, minutes = 0, seconds = 0, fraction = ""] = found;
  const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  const ticks = BigInt(whole) * ticksPerSecond + BigInt(fraction.padEnd(7, "0"));
  return timeSpan(sign === "-" ? -ticks : ticks);
}

/** In milliseconds, and how many of them the next larger one has. */
const units: readonly (readonly [name: string, size: number, count: number])[] = [
  ["Days", 86_400_000, Infinity],
  ["Hours", 3_600_000, 24],
  ["Minutes", 60_000, 60],
  ["Seconds", 1000, 60],
  ["Milliseconds", 1, 1000],
];

const timeSpanType: NetType = types.define({
  name: "System.TimeSpan",
  aliases: ["timespan"],
  isValueType: true,
  interfaces: ["System.IComparable"],
  properties: {
    Ticks: (self: TimeSpan) => self.state.ticks,
    ...Object.fromEntries(
      units.flatMap(([name, size, count]): [string, (self: TimeSpan) => Value][] => [
        [`Total${name}`, (self) => toDouble(millisecondsOf(self) / size)],
        [name, (self) => Math.trunc(millisecondsOf(self) / size) % count],
      ]),
    ),
  },
  methods: { "ToString()": spanText },
  staticProperties: { Zero: () => timeSpan(0n) },
  staticMethods: {
    ...Object.fromEntries(
      units.map(([name, size]) => [
        `From${name}(double)`,
        (_: null, value: Num) => spanOf(value.value, size),
      ]),
    ),
    "Parse(string)": (_: null, text: string) => parseSpan(text),
  },
  constructors: {
    "(long)": (_: null, ticks: bigint) => timeSpan(ticks),
    "(int, int, int)": (_: null, hours: number, minutes: number, seconds: number) =>
      spanOf((hours * 60 + minutes) * 60 + seconds, 1000),
  },
});

// Moments

const kinds = types.define({
  name: "System.DateTimeKind",
  enumeration: { Unspecified: 0, Utc: 1, Local: 2 },
});
const daysOfWeek = types.define({
  name: "System.DayOfWeek",
  enumeration: {
    ...{ Sunday: 0, Monday: 1, Tuesday: 2, Wednesday: 3, Thursday: 4, Friday: 5, Saturday: 6 },
  },
});
const styles = "System.Globalization.DateTimeStyles";
types.define({
  name: styles,
  enumeration: {
    ...{ None: 0, AllowLeadingWhite: 1, AllowTrailingWhite: 2, AllowInnerWhite: 4 },
    ...{ AllowWhiteSpaces: 7, NoCurrentDateDefault: 8, AdjustToUniversal: 16 },
    ...{ AssumeLocal: 32, AssumeUniversal: 64, RoundtripKind: 128 },
  },
});

const ticksPerDay = 86_400n * ticksPerSecond;
const ticksPerMinute = 60n * ticksPerSecond;

/** What a cast and Parse read; .NET reads far more. */
const commonFormats = [
  ...["yyyy-MM-ddTHH:mm:ssK", "yyyy-MM-ddTHH:mm:ss.FFFFFFFK", "yyyy-MM-dd HH:mm:ssZ"],
  ...["yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm", "yyyy-MM-dd", "M/d/yyyy", "M/d/yyyy H:mm:ss", "r"],
];

/** DateTime and Stopwatch, by the clock of a machine. */
export function defineTimeTypes(set: Types, host: Host): void {
  defineDateTime(set, host);
  defineStopwatch(set, host.clock);
}

function defineDateTime(set: Types, host: Host): void {
  const { clock } = host;
  const moment = (ticks: bigint, kind: Moment["kind"]): DateTime =>
    new NetObject(dateTime, new DateTimeState(ticks, kind));
  const offset = ({ ticks, kind }: Moment) =>
    kind === "Utc" ? 0 : offsetOfLocal(toMilliseconds(ticks), clock);
  const universal = (self: DateTime) =>
    moment(self.state.ticks - BigInt(offset(self.state)) * ticksPerMinute, "Utc");
  const local = (self: DateTime) => {
    const { ticks, kind } = self.state;
    const ahead = BigInt(clock.offset(toMilliseconds(ticks))) * ticksPerMinute;
    return kind === "Local" ? self : moment(ticks + ahead, "Local");
  };
  const text = ({ state }: DateTime, format: string | null = null) =>
    formatDate(state, format ?? "G", offset(state));

  const parse = (written: string, formats: readonly string[], style?: EnumValue): DateTime => {
    const has = (flag: number) => ((style?.number ?? 0) & flag) !== 0;
    if (has(~(16 | 32 | 64))) {
      throw new Unsupported(`${style?.name ?? ""} for dates`);
    }
    const found = formats
      .map((each) => parseDate(written, each))
      .find((each) => each !== undefined);
    if (!found) {
      throw badFormat("String was not recognized as a valid DateTime.");
    }
    const zone = found.offset ?? (has(64) ? 0 : undefined);
    const read =
      zone === undefined
        ? moment(found.ticks, has(32) ? "Local" : "Unspecified")
        : local(moment(found.ticks - BigInt(zone) * ticksPerMinute, "Utc"));
    return has(16) && read.state.kind === "Local" ? universal(read) : read;
  };
  const parseExact = (
    _: null,
    written: string,
    format: string,
    _culture: Value,
    style?: EnumValue,
  ) => parse(written, [format], style);
  const part = (get: (date: Date) => number) => (self: DateTime) =>
    get(new Date(toMilliseconds(self.state.ticks)));
  const made = (_: null, ...parts: number[]) => {
    const [year = 1, ...rest] = parts;
    const written = [String(year).padStart(4, "0"), ...rest, 0, 0, 0].slice(0, 6).join(" ");
    const parsed = parseDate(written, "yyyy M d H m s");
    if (!parsed) {
      throw raised(
        "System.ArgumentOutOfRangeException",
        "Year, Month, and Day parameters describe an un-representable DateTime.",
      );
    }
    return moment(parsed.ticks, "Unspecified");
  };

  const dateTime: NetType = set.define({
    name: "System.DateTime",
    aliases: ["datetime"],
    isValueType: true,
    interfaces: ["System.IComparable"],
    properties: {
      Kind: (self: DateTime) => kinds.enumeration?.get(self.state.kind.toLowerCase()) ?? null,
      Ticks: (self: DateTime) => self.state.ticks,
      Year: part((date) => date.getUTCFullYear()),
      Month: part((date) => date.getUTCMonth() + 1),
      Day: part((date) => date.getUTCDate()),
      Hour: part((date) => date.getUTCHours()),
      Minute: part((date) => date.getUTCMinutes()),
      Second: part((date) => date.getUTCSeconds()),
      Millisecond: part((date) => date.getUTCMilliseconds()),
      DayOfWeek: (self: DateTime) =>
        [...(daysOfWeek.enumeration?.values() ?? [])].at(part((date) => date.getUTCDay())(self)) ??
        null,
      Date: ({ state }: DateTime) => moment(state.ticks - (state.ticks % ticksPerDay), state.kind),
      TimeOfDay: ({ state }: DateTime) => timeSpan(state.ticks % ticksPerDay),
    },
    methods: {
      "ToString()": (self: DateTime) => text(self),
      "ToString(string)": text,
      "ToString(System.IFormatProvider)": (self: DateTime) => text(self),
      "ToString(string, System.IFormatProvider)": text,
      "ToUniversalTime()": universal,
      "ToLocalTime()": local,
      ...Object.fromEntries(
        units.map(([name, size]) => [
          `Add${name}(double)`,
          (self: DateTime, value: Num) => moved(self, spanOf(value.value, size).state.ticks),
        ]),
      ),
      "Add(timespan)": (self: DateTime, span: TimeSpan) => moved(self, span.state.ticks),
      "Subtract(timespan)": (self: DateTime, span: TimeSpan) => moved(self, -span.state.ticks),
      "Subtract(datetime)": (self: DateTime, other: DateTime) =>
        timeSpan(self.state.ticks - other.state.ticks),
    },
    staticProperties: {
      UtcNow: () => toDateTime(set, host, clock.now(), true),
      Now: () => toDateTime(set, host, clock.now(), false),
      MinValue: () => moment(0n, "Unspecified"),
      MaxValue: () => moment(lastTick, "Unspecified"),
    },
    staticMethods: {
      "ParseExact(string, string, System.IFormatProvider)": parseExact,
      [`ParseExact(string, string, System.IFormatProvider, ${styles})`]: parseExact,
      [`ParseExact(string, string[], System.IFormatProvider, ${styles})`]: (
        _: null,
        written: string,
        formats: PsArray,
        _culture: Value,
        style: EnumValue,
      ) => parse(written, formats.items as string[], style),
      "Parse(string)": (_: null, written: string) => parse(written.trim(), commonFormats),
      "SpecifyKind(datetime, System.DateTimeKind)": (_: null, self: DateTime, kind: EnumValue) =>
        moment(self.state.ticks, kind.name as Moment["kind"]),
    },
    constructors: { "(int, int, int)": made, "(int, int, int, int, int, int)": made },
    unsupported: ["DayOfYear"],
  });
}

function defineStopwatch(set: Types, clock: Clock): void {
  type Stopwatch = NetObject<{ started: number | undefined; before: number }>;
  const elapsed = ({ state: { started, before } }: Stopwatch) =>
    before + (started === undefined ? 0 : clock.elapsed() - started);
  const stopwatch: NetType = set.define({
    name: "System.Diagnostics.Stopwatch",
    properties: {
      Elapsed: (self: Stopwatch) => timeSpan(BigInt(Math.round(elapsed(self) * 10_000))),
      ElapsedMilliseconds: (self: Stopwatch) => BigInt(Math.trunc(elapsed(self))),
      IsRunning: (self: Stopwatch) => self.state.started !== undefined,
    },
    methods: {
      "Stop()": (self: Stopwatch) => {
        self.state.before = elapsed(self);
        self.state.started = undefined;
      },
      "Restart()": ({ state }: Stopwatch) => {
        state.started = clock.elapsed();
        state.before = 0;
      },
    },
    staticMethods: {
      "StartNew()": () => new NetObject(stopwatch, { started: clock.elapsed(), before: 0 }),
    },
    unsupported: ["ElapsedTicks"],
  });
}
