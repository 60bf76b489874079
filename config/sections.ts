const namespace = "kindows:";

/** The sections of the settings in Pulumi's configuration, which hands objects over as JSON and text as it is. */
export function sections(config: Readonly<Record<string, string>>): Record<string, unknown> {
  const ours = Object.entries(config).filter(([key]) => key.startsWith(namespace));
  return Object.fromEntries(
    ours.map(([key, value]) => [key.slice(namespace.length), parsed(value)]),
  );
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
