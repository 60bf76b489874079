import zoneNames from "cldr-bcp47/bcp47/timezone.json" with { type: "json" };
import windowsZones from "cldr-core/supplemental/windowsZones.json" with { type: "json" };

const zones = windowsZones.supplemental.windowsZones.mapTimezones.map(({ mapZone }) => mapZone);

const ianaNames = Object.values(zoneNames.keyword.u.tz).map((zone) =>
  typeof zone === "object" && "_alias" in zone ? zone._alias.split(" ") : [],
);

/** Windows' own name of a time zone of IANA's; undefined where it has none. By Unicode's CLDR, as in .NET. */
export function windowsTimeZone(zone: string): string | undefined {
  const names = ianaNames.find((all) => all.includes(zone)) ?? [];
  return zones.find(({ _type }) => _type.split(" ").some((name) => names.includes(name)))?._other;
}

/** The other way: the first of the zones that Windows calls so; undefined where it is no name of Windows'. */
export function ianaTimeZone(zone: string): string | undefined {
  return zones.find(({ _other }) => _other === zone)?._type;
}
