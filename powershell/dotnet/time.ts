/** Moments, spans of time and stopwatches, and what the operators make of them. */
import { formatDate, parseDate, toMilliseconds, toTicks, type Moment } from "../dates.ts";
import type { Clock, Host } from "../host.ts";
import { raised, toDouble, types, type Types } from "../types.ts";
import { NetObject, Unsupported, type EnumValue, type Num, type Value } from "../values.ts";
import { badFormat } from "./exceptions.ts";
import { Ordered } from "./numbers.ts";

const firstMoment = toMilliseconds(0n);
const lastMoment = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Milliseconds: since 1970 for a DateTime, by its own clock; a TimeSpan is what has no kind. */
class Time extends Ordered {
  constructor(
    readonly milliseconds: number,
    readonly kind?: Moment["kind"],
  ) {
    super();
    if (kind && !(milliseconds >= firstMoment && milliseconds <= lastMoment)) {
      throw raised(
        "System.ArgumentOutOfRangeException",
        "The added or subtracted value results in an un-representable DateTime.",
      );
    }
  }

  get ticks(): bigint {
    return toTicks(this.milliseconds);
  }

  override compareTo(other: unknown): number | undefined {
    return other instanceof Time && !other.kind === !this.kind
      ? this.milliseconds - other.milliseconds
      : undefined;
  }
}

type DateTime = NetObject<Time & Moment>;
type TimeSpan = NetObject<Time>;

/** How two objects of .NET compare; undefined: they do not. */
export function compareNet(left: Value, right: Value): number | undefined {
  return left instanceof NetObject && right instanceof NetObject && left.state instanceof Ordered
    ? left.state.compareTo(right.state)
    : undefined;
}

/** Sums and differences of moments and spans; undefined: it is nothing of that kind. */
export function arithmeticNet(operator: string, left: Value, right: Value): Value | undefined {
  const [first, second] = [left, right].map((each) =>
    each instanceof NetObject && each.state instanceof Time ? each.state : undefined,
  );
  if (!first || !second || !/^[+-]$/.test(operator)) {
    return undefined;
  }
  const sign = operator === "+" ? 1 : -1;
  const milliseconds = first.milliseconds + sign * second.milliseconds;
  if (second.kind) {
    return first.kind && operator === "-" ? timeSpan(milliseconds) : undefined;
  }
  return first.kind
    ? new NetObject((left as DateTime).type, new Time(Math.round(milliseconds), first.kind))
    : timeSpan(milliseconds);
}

/** A moment out of milliseconds since 1970, in universal or local time. */
export function toDateTime(
  set: Types,
  { clock }: Pick<Host, "clock">,
  milliseconds: number,
  utc: boolean,
): DateTime {
  const whole = Math.floor(milliseconds);
  const time = new Time(whole + (utc ? 0 : clock.offset(whole) * 60_000), utc ? "Utc" : "Local");
  return new NetObject(set.get("System.DateTime"), time as Time & Moment);
}

/** Milliseconds since 1970 of a DateTime; one of no kind is taken to be local. */
export function fromDateTime(value: Value, clock: Clock): number {
  const { milliseconds, kind } = (value as DateTime).state;
  const guess = clock.offset(milliseconds) * 60_000;
  return kind === "Utc" ? milliseconds : milliseconds - clock.offset(milliseconds - guess) * 60_000;
}

// Spans

function timeSpan(milliseconds: number): TimeSpan {
  return new NetObject(timeSpanType, new Time(milliseconds));
}

/** Milliseconds of a TimeSpan. */
export function millisecondsOf(span: Value): number {
  return (span as TimeSpan).state.milliseconds;
}

function spanText({ state: { milliseconds } }: TimeSpan): string {
  const ticks = Math.round(Math.abs(milliseconds) * 10_000);
  const days = Math.floor(ticks / 864e9);
  const time = new Date(Math.floor(ticks / 10_000)).toISOString().slice(11, 19);
  const fraction = ticks % 1e7 === 0 ? "" : `.${String(ticks % 1e7).padStart(7, "0")}`;
  return `${milliseconds < 0 ? "-" : ""}${days === 0 ? "" : `${String(days)}.`}${time}${fraction}`;
}

/** In milliseconds. */
const units = Object.entries({
  Days: 86_400_000,
  Hours: 3_600_000,
  Minutes: 60_000,
  Seconds: 1000,
});

const timeSpanType = types.define({
  name: "System.TimeSpan",
  aliases: ["timespan"],
  isValueType: true,
  interfaces: ["System.IComparable"],
  properties: Object.fromEntries(
    units.map(([name, size]) => [
      `Total${name}`,
      (self: TimeSpan) => toDouble(self.state.milliseconds / size),
    ]),
  ),
  methods: { "ToString()": spanText },
  // 5.1 rounds to whole milliseconds.
  staticMethods: Object.fromEntries(
    units.map(([name, size]) => [
      `From${name}(double)`,
      (_: null, { value }: Num) => timeSpan(Math.round(value * size)),
    ]),
  ),
});

// Moments

const kinds = types.define({
  name: "System.DateTimeKind",
  enumeration: { Unspecified: 0, Utc: 1, Local: 2 },
});
types.define({
  name: "System.DayOfWeek",
  enumeration: {
    ...{ Sunday: 0, Monday: 1, Tuesday: 2, Wednesday: 3, Thursday: 4, Friday: 5, Saturday: 6 },
  },
});
const styles = types.define({
  name: "System.Globalization.DateTimeStyles",
  enumeration: { None: 0, AdjustToUniversal: 16, AssumeUniversal: 64 },
});

/** DateTime and Stopwatch, by the clock of a machine. */
export function defineTimeTypes(set: Types, host: Host): void {
  const { clock } = host;
  const moment = (milliseconds: number, kind: Moment["kind"]): DateTime =>
    new NetObject(dateTime, new Time(milliseconds, kind) as Time & Moment);
  const text = ({ state }: DateTime, format = "G") => formatDate(state.milliseconds, format);
  const parseExact = (_: null, written: string, format: string, __: Value, style?: EnumValue) => {
    const number = style?.number ?? 0;
    if (number !== 16 + 64 && (number !== 0 || format.includes("Z"))) {
      throw new Unsupported(`the date format ${format} with the styles ${style?.name ?? "None"}`);
    }
    const milliseconds = parseDate(written, format);
    if (milliseconds === undefined) {
      throw badFormat("String was not recognized as a valid DateTime.");
    }
    return moment(milliseconds, number === 0 ? "Unspecified" : "Utc");
  };
  /** What a cast reads; .NET reads far more. */
  const parse = (written: string) => {
    const [, day = "", time = " 00:00:00", zone = ""] =
      /^([\d-]{10})([T ][\d:]{8})?(Z?)$/.exec(written) ?? [];
    const milliseconds = parseDate(day + time.replace("T", " "), "yyyy-MM-dd HH:mm:ss");
    if (milliseconds === undefined) {
      throw new Unsupported(`the date ${written}`);
    }
    return zone === "Z"
      ? toDateTime(set, host, milliseconds, false)
      : moment(milliseconds, "Unspecified");
  };

  const dateTime = set.define({
    name: "System.DateTime",
    aliases: ["datetime"],
    isValueType: true,
    interfaces: ["System.IComparable"],
    properties: {
      Kind: (self: DateTime) => kinds.enumeration?.get(self.state.kind.toLowerCase()) ?? null,
      Ticks: (self: DateTime) => self.state.ticks,
    },
    methods: {
      "ToString()": (self: DateTime) => text(self),
      "ToString(string)": text,
      "ToUniversalTime()": (self: DateTime) => moment(fromDateTime(self, clock), "Utc"),
      "ToLocalTime()": (self: DateTime) =>
        self.state.kind === "Local" ? self : toDateTime(set, host, self.state.milliseconds, false),
      ...Object.fromEntries(
        units.map(([name, size]) => [
          `Add${name}(double)`,
          ({ state }: DateTime, { value }: Num) =>
            moment(state.milliseconds + Math.round(value * size), state.kind),
        ]),
      ),
    },
    staticProperties: {
      UtcNow: () => toDateTime(set, host, clock.now(), true),
      MinValue: () => moment(firstMoment, "Unspecified"),
    },
    staticMethods: {
      "ParseExact(string, string, System.IFormatProvider)": parseExact,
      [`ParseExact(string, string, System.IFormatProvider, ${styles.name})`]: parseExact,
      "Parse(string)": (_: null, written: string) => parse(written),
      "SpecifyKind(datetime, System.DateTimeKind)": (_: null, self: DateTime, kind: EnumValue) =>
        moment(self.state.milliseconds, kind.name as Moment["kind"]),
    },
    constructors: {
      "(int, int, int)": (_: null, ...parts: number[]) =>
        parse(parts.map((part) => String(part).padStart(2, "0")).join("-")),
    },
  });

  type Stopwatch = NetObject<{ readonly started: number }>;
  const stopwatch = set.define({
    name: "System.Diagnostics.Stopwatch",
    properties: { Elapsed: (self: Stopwatch) => timeSpan(clock.elapsed() - self.state.started) },
    staticMethods: { "StartNew()": () => new NetObject(stopwatch, { started: clock.elapsed() }) },
  });
}
