/** What Pulumi's configuration holds: it hands objects over as JSON, and text as it is. */
export function parsedConfig(config: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, parsed(value)]));
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
