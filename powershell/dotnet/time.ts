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
  type EnumValue,
  NetObject,
  type NetType,
  type PsArray,
  Unsupported,
  type Value,
} from "../values.ts";
import { formatError, Ordered } from "./numbers.ts";

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
  const [first, second] = [left.state, right.state];
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
      {
        hresult: -2146233086,
      },
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

/** 5.1 makes whole milliseconds of seconds and of what is longer. */
function fromUnits(value: number, milliseconds: number): TimeSpan {
  const total = value * milliseconds;
  if (Number.isNaN(total)) {
    throw raised(
      "System.ArgumentException",
      "TimeSpan does not accept floating point Not-a-Number values.",
    );
  }
  if (Math.abs(total) > 922_337_203_685_477) {
    throw raised(
      "System.OverflowException",
      "TimeSpan overflowed because the duration is too long.",
    );
  }
  return timeSpan(BigInt(Math.trunc(total + (total < 0 ? -0.5 : 0.5))) * 10_000n);
}

export function timeSpan(ticks: bigint): TimeSpan {
  return new NetObject(timeSpanType, new TimeSpanState(ticks));
}

/** Milliseconds of a TimeSpan. */
export function millisecondsOf(span: Value): number {
  return Number((span as TimeSpan).state.ticks) / 10_000;
}

const units = {
  Days: 86_400_000,
  Hours: 3_600_000,
  Minutes: 60_000,
  Seconds: 1000,
  Milliseconds: 1,
};

function spanText(ticks: bigint): string {
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
  const found =
    /^\s*(-?)(?:(\d+)|(?:(\d+)\.)?(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,7}))?)?)\s*$/.exec(
      text,
    );
  const [
    ,
    sign = "",
    onlyDays = "0",
    days = onlyDays,
    hours = "0",
    minutes = "0",
    seconds = "0",
    fraction = "",
  ] = found ?? [];
  if (!found) {
    throw formatError("String was not recognized as a valid TimeSpan.");
  }
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) {
    throw raised(
      "System.OverflowException",
      "The TimeSpan could not be parsed because at least one of the numeric components is out of range or contains too many digits.",
    );
  }
  const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  const ticks = BigInt(whole) * ticksPerSecond + BigInt(fraction.padEnd(7, "0"));
  return timeSpan(sign === "-" ? -ticks : ticks);
}

function spanOf(
  days: number,
  hours: number,
  minutes: number,
  seconds: number,
  milliseconds = 0,
): TimeSpan {
  return timeSpan(
    BigInt((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + milliseconds) * 10_000n,
  );
}

const perDay: Record<string, number> = {
  Days: Infinity,
  Hours: 24,
  Minutes: 60,
  Seconds: 60,
  Milliseconds: 1000,
};
const timeSpanType: NetType = types.define({
  name: "System.TimeSpan",
  aliases: ["timespan"],
  isValueType: true,
  interfaces: ["System.IComparable"],
  properties: {
    Ticks: (self: TimeSpan) => self.state.ticks,
    ...Object.fromEntries(
      Object.entries(units).flatMap(([unit, size]): [string, (self: TimeSpan) => Value][] => [
        [`Total${unit}`, (self) => toDouble(Number(self.state.ticks) / (size * 10_000))],
        [unit, (self) => Math.trunc(millisecondsOf(self) / size) % (perDay[unit] ?? 1)],
      ]),
    ),
  },
  methods: {
    "ToString()": (self: TimeSpan) => spanText(self.state.ticks),
    "ToString(string)": (self: TimeSpan, format: string) => {
      if (!/^[ct]?$/i.test(format)) {
        throw new Unsupported(`the format ${format} of spans of time`);
      }
      return spanText(self.state.ticks);
    },
    "Add(timespan)": (self: TimeSpan, other: TimeSpan) =>
      timeSpan(self.state.ticks + other.state.ticks),
    "Subtract(timespan)": (self: TimeSpan, other: TimeSpan) =>
      timeSpan(self.state.ticks - other.state.ticks),
    "Negate()": (self: TimeSpan) => timeSpan(-self.state.ticks),
    "Duration()": (self: TimeSpan) =>
      timeSpan(self.state.ticks < 0n ? -self.state.ticks : self.state.ticks),
  },
  staticProperties: { Zero: () => timeSpan(0n), MaxValue: () => timeSpan(2n ** 63n - 1n) },
  staticMethods: {
    ...Object.fromEntries(
      Object.entries(units).map(([unit, size]) => [
        `From${unit}(double)`,
        (_: null, value: { value: number }) => fromUnits(value.value, size),
      ]),
    ),
    "FromTicks(long)": (_: null, ticks: bigint) => timeSpan(ticks),
    "Parse(string)": (_: null, text: string) => parseSpan(text),
  },
  constructors: {
    "(long)": (_: null, ticks: bigint) => timeSpan(ticks),
    "(int, int, int)": (_: null, hours: number, minutes: number, seconds: number) =>
      spanOf(0, hours, minutes, seconds),
    "(int, int, int, int)": (_: null, ...parts: [number, number, number, number]) =>
      spanOf(...parts),
    "(int, int, int, int, int)": (_: null, ...parts: [number, number, number, number, number]) =>
      spanOf(...parts),
  },
});

// Moments

const kinds = types.define({
  name: "System.DateTimeKind",
  enumeration: { Unspecified: 0, Utc: 1, Local: 2 },
});
const dayOfWeek = types.define({
  name: "System.DayOfWeek",
  enumeration: {
    Sunday: 0,
    Monday: 1,
    Tuesday: 2,
    Wednesday: 3,
    Thursday: 4,
    Friday: 5,
    Saturday: 6,
  },
});
types.define({
  name: "System.Globalization.DateTimeStyles",
  enumeration: {
    ...{
      None: 0,
      AllowLeadingWhite: 1,
      AllowTrailingWhite: 2,
      AllowInnerWhite: 4,
      AllowWhiteSpaces: 7,
    },
    ...{
      NoCurrentDateDefault: 8,
      AdjustToUniversal: 16,
      AssumeLocal: 32,
      AssumeUniversal: 64,
      RoundtripKind: 128,
    },
  },
});

/** DateTime and Stopwatch, by the clock of a machine. */
export function defineTimeTypes(set: Types, host: Host): void {
  const { clock } = host;
  const moment = (ticks: bigint, kind: Moment["kind"]): DateTime =>
    new NetObject(dateTime, new DateTimeState(ticks, kind));
  const now = (utc: boolean) => toDateTime(set, host, clock.now(), utc);
  const universal = (self: DateTime) =>
    self.state.kind === "Utc"
      ? self
      : moment(self.state.ticks - localOffset(self.state.ticks), "Utc");
  const local = (self: DateTime) =>
    self.state.kind === "Local"
      ? self
      : moment(
          self.state.ticks + BigInt(clock.offset(toMilliseconds(self.state.ticks))) * 600_000_000n,
          "Local",
        );
  const localOffset = (ticks: bigint) =>
    BigInt(offsetOfLocal(toMilliseconds(ticks), clock)) * 600_000_000n;
  const text = ({ state }: DateTime, format: string | null) =>
    formatDate(
      state,
      format ?? "G",
      state.kind === "Utc" ? 0 : offsetOfLocal(toMilliseconds(state.ticks), clock),
    );

  const parseExact = (
    written: string,
    formats: readonly string[],
    styles: EnumValue | undefined,
  ): DateTime => {
    const has = (flag: number) => ((styles?.number ?? 0) & flag) !== 0;
    if (has(15)) {
      throw new Unsupported(`ParseExact with ${styles?.name ?? ""}`);
    }
    const found = formats
      .map((format) => parseDate(written, format))
      .find((each) => each !== undefined);
    if (!found) {
      throw formatError("String was not recognized as a valid DateTime.");
    }
    const { ticks } = found;
    const offset = found.offset ?? (has(64) ? 0 : undefined);
    if (offset !== undefined) {
      const utc = moment(ticks - BigInt(offset) * 600_000_000n, "Utc");
      return has(16) || (has(128) && /Z$/.test(written)) ? utc : local(utc);
    }
    return has(32)
      ? has(16)
        ? universal(moment(ticks, "Local"))
        : moment(ticks, "Local")
      : moment(ticks, "Unspecified");
  };
  const parse = (written: string, styles?: EnumValue) =>
    parseExact(written.trim(), commonFormats, styles);

  const dateOf = (self: DateTime) => new Date(toMilliseconds(self.state.ticks));
  const add = (size: number) => (self: DateTime, value: { value: number }) =>
    moved(self, fromUnits(value.value, size).state.ticks);
  const addMonths = (self: DateTime, count: number) => {
    const date = dateOf(self);
    const day = date.getUTCDate();
    date.setUTCDate(1);
    date.setUTCMonth(date.getUTCMonth() + count);
    const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
    date.setUTCDate(Math.min(day, last));
    return moved(self, toTicks(date.getTime()) - toTicks(dateOf(self).getTime()));
  };
  const made = (
    _: null,
    year: number,
    month: number,
    day: number,
    hour = 0,
    minute = 0,
    second = 0,
    kind?: Value,
  ) => {
    const written = [String(year).padStart(4, "0"), month, day, hour, minute, second].join(" ");
    const parsed = parseDate(written, "yyyy M d H m s");
    if (!parsed) {
      throw raised(
        "System.ArgumentOutOfRangeException",
        "Year, Month, and Day parameters describe an un-representable DateTime.",
        {
          hresult: -2146233086,
        },
      );
    }
    return moment(
      parsed.ticks,
      kind ? ((kind as EnumValue).name as Moment["kind"]) : "Unspecified",
    );
  };

  const dateTime: NetType = set.define({
    name: "System.DateTime",
    aliases: ["datetime"],
    isValueType: true,
    interfaces: ["System.IComparable"],
    properties: {
      Kind: (self: DateTime) => kinds.enumeration?.get(self.state.kind.toLowerCase()) ?? null,
      Ticks: (self: DateTime) => self.state.ticks,
      Year: (self: DateTime) => dateOf(self).getUTCFullYear(),
      Month: (self: DateTime) => dateOf(self).getUTCMonth() + 1,
      Day: (self: DateTime) => dateOf(self).getUTCDate(),
      Hour: (self: DateTime) => dateOf(self).getUTCHours(),
      Minute: (self: DateTime) => dateOf(self).getUTCMinutes(),
      Second: (self: DateTime) => dateOf(self).getUTCSeconds(),
      Millisecond: (self: DateTime) => dateOf(self).getUTCMilliseconds(),
      DayOfWeek: (self: DateTime) =>
        [...(dayOfWeek.enumeration?.values() ?? [])].find(
          (each) => each.number === dateOf(self).getUTCDay(),
        ) ?? null,
      DayOfYear: (self: DateTime) =>
        Math.floor(
          (dateOf(self).getTime() - Date.UTC(dateOf(self).getUTCFullYear(), 0)) / units.Days,
        ) + 1,
      Date: (self: DateTime) =>
        moment(self.state.ticks - (self.state.ticks % (86_400n * ticksPerSecond)), self.state.kind),
      TimeOfDay: (self: DateTime) => timeSpan(self.state.ticks % (86_400n * ticksPerSecond)),
    },
    methods: {
      "ToString()": (self: DateTime) => text(self, "G"),
      "ToString(string)": text,
      "ToString(System.IFormatProvider)": (self: DateTime) => text(self, "G"),
      "ToString(string, System.IFormatProvider)": text,
      "ToUniversalTime()": universal,
      "ToLocalTime()": local,
      "AddDays(double)": add(units.Days),
      "AddHours(double)": add(units.Hours),
      "AddMinutes(double)": add(units.Minutes),
      "AddSeconds(double)": add(units.Seconds),
      "AddMilliseconds(double)": add(1),
      "AddTicks(long)": (self: DateTime, ticks: bigint) => moved(self, ticks),
      "AddMonths(int)": addMonths,
      "AddYears(int)": (self: DateTime, count: number) => addMonths(self, count * 12),
      "Add(timespan)": (self: DateTime, span: TimeSpan) => moved(self, span.state.ticks),
      "Subtract(timespan)": (self: DateTime, span: TimeSpan) => moved(self, -span.state.ticks),
      "Subtract(datetime)": (self: DateTime, other: DateTime) =>
        timeSpan(self.state.ticks - other.state.ticks),
      "CompareTo(datetime)": (self: DateTime, other: DateTime) =>
        compareTicks(self.state.ticks, other.state.ticks),
      "ToFileTimeUtc()": (self: DateTime) => universal(self).state.ticks - fileTimeZero,
      "ToFileTime()": (self: DateTime) => universal(self).state.ticks - fileTimeZero,
    },
    staticProperties: {
      UtcNow: () => now(true),
      Now: () => now(false),
      Today: () =>
        moment(
          (now(false).state.ticks / (86_400n * ticksPerSecond)) * (86_400n * ticksPerSecond),
          "Local",
        ),
      MinValue: () => moment(0n, "Unspecified"),
      MaxValue: () => moment(lastTick, "Unspecified"),
    },
    staticMethods: {
      "ParseExact(string, string, System.IFormatProvider)": (
        _: null,
        written: string,
        format: string,
      ) => parseExact(written, [format], undefined),
      "ParseExact(string, string, System.IFormatProvider, System.Globalization.DateTimeStyles)": (
        _: null,
        written: string,
        format: string,
        _culture: Value,
        styles: EnumValue,
      ) => parseExact(written, [format], styles),
      "ParseExact(string, string[], System.IFormatProvider, System.Globalization.DateTimeStyles)": (
        _: null,
        written: string,
        formats: PsArray,
        _culture: Value,
        styles: EnumValue,
      ) => parseExact(written, formats.items as string[], styles),
      "Parse(string)": (_: null, written: string) => parse(written),
      "Parse(string, System.IFormatProvider)": (_: null, written: string) => parse(written),
      "SpecifyKind(datetime, System.DateTimeKind)": (_: null, self: DateTime, kind: EnumValue) =>
        moment(self.state.ticks, kind.name as Moment["kind"]),
      "FromFileTimeUtc(long)": (_: null, ticks: bigint) => moment(ticks + fileTimeZero, "Utc"),
      "FromFileTime(long)": (_: null, ticks: bigint) => local(moment(ticks + fileTimeZero, "Utc")),
    },
    constructors: {
      "(long)": (_: null, ticks: bigint) => moment(ticks, "Unspecified"),
      "(int, int, int)": made,
      "(int, int, int, int, int, int)": made,
      "(int, int, int, int, int, int, System.DateTimeKind)": made,
    },
    unsupported: [
      "ToShortDateString",
      "ToLongDateString",
      "ToShortTimeString",
      "ToLongTimeString",
      "ToOADate",
      "IsDaylightSavingTime",
      "ToBinary",
      "GetDateTimeFormats",
    ],
  });

  interface Watch {
    started: number | undefined;
    before: number;
  }
  type Stopwatch = NetObject<Watch>;
  const elapsed = ({ state }: Stopwatch) =>
    state.before + (state.started === undefined ? 0 : clock.elapsed() - state.started);
  const stopwatch: NetType = set.define({
    name: "System.Diagnostics.Stopwatch",
    properties: {
      Elapsed: (self: Stopwatch) => timeSpan(BigInt(Math.round(elapsed(self) * 10_000))),
      ElapsedMilliseconds: (self: Stopwatch) => BigInt(Math.trunc(elapsed(self))),
      IsRunning: (self: Stopwatch) => self.state.started !== undefined,
    },
    methods: {
      "Start()": ({ state }: Stopwatch) => {
        state.started ??= clock.elapsed();
      },
      "Stop()": (self: Stopwatch) => {
        self.state.before = elapsed(self);
        self.state.started = undefined;
      },
      "Reset()": ({ state }: Stopwatch) => {
        state.started = undefined;
        state.before = 0;
      },
      "Restart()": ({ state }: Stopwatch) => {
        state.started = clock.elapsed();
        state.before = 0;
      },
    },
    staticMethods: {
      "StartNew()": () => new NetObject(stopwatch, { started: clock.elapsed(), before: 0 }),
    },
    constructors: { "()": () => new NetObject(stopwatch, { started: undefined, before: 0 }) },
    unsupported: ["ElapsedTicks"],
  });
}

/** Ticks of 1601-01-01, from which Windows counts. */
const fileTimeZero = 504_911_232_000_000_000n;

/** What a cast and Parse read; .NET reads far more. */
const commonFormats = [
  ...[
    "yyyy-MM-ddTHH:mm:ssK",
    "yyyy-MM-ddTHH:mm:ss.FFFFFFFK",
    "yyyy-MM-dd HH:mm:ssZ",
    "yyyy-MM-dd HH:mm:ss",
  ],
  ...["yyyy-MM-dd HH:mm", "yyyy-MM-dd", "M/d/yyyy", "M/d/yyyy H:mm:ss", "M/d/yyyy h:mm:ss tt", "r"],
];
