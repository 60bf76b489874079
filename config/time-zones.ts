import zoneNames from "cldr-bcp47/bcp47/timezone.json" with { type: "json" };
import windowsZones from "cldr-core/supplemental/windowsZones.json" with { type: "json" };

const zones = windowsZones.supplemental.windowsZones.mapTimezones.map(({ mapZone }) => mapZone);

const ianaNames = Object.values(zoneNames.keyword.u.tz).map((zone) =>
  typeof zone === "object" && "_alias" in zone ? zone._alias.split(" ") : [],
);

/** The Windows name of an IANA time zone by Unicode's CLDR, as in .NET; undefined if Windows does not have the zone. */
export function windowsTimeZone(zone: string): string | undefined {
  const names = ianaNames.find((all) => all.includes(zone)) ?? [];
  return zones.find(({ _type }) => _type.split(" ").some((name) => names.includes(name)))?._other;
}

/** The first IANA time zone for a Windows name; undefined if Windows has no such name. */
export function ianaTimeZone(zone: string): string | undefined {
  return zones.find(({ _other }) => _other === zone)?._type;
}
