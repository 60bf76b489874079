/** A resource's name: the last part of its URN. */
export function resourceName(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}

/** Last part of the type and the name, for people: `Domain win-1`. */
export function shortName(urn: string): string {
  const [name = "", types = ""] = urn.split("::").reverse();
  return `${types.split(":").at(-1)} ${name}`;
}
