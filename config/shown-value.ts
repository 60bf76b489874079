/** Names of settings, ours or made up by the user, whose values are nobody else's business. */
const secretName = /passw|passphrase|passcode|secret|credential|private.?key|api.?key|^token$/i;

/** Names of settings whose form is shown and whose characters are not. */
const veiledName = /^productKey$/i;

const maxLength = 60;

/**
 * A value as an error shows it: as JSON, cut off where it is long, and without passwords, logins and keys, as errors
 * end up in logs. Nothing for a value that is not there.
 */
export function shownValue(value: unknown, path: readonly (string | number)[]): string {
  if (value === undefined || value === null) {
    return "";
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    return String(value);
  }
  const text = JSON.stringify(veiled(String(path.at(-1) ?? ""), value), (key, inner: unknown) =>
    veiled(key, inner),
  );
  return text.length > maxLength ? `${text.slice(0, maxLength)}...` : text;
}

function veiled(name: string, value: unknown): unknown {
  if (typeof value !== "string" && typeof value !== "number") {
    return value;
  }
  // A private key that was put where a public one belongs is one all the same.
  if (secretName.test(name) || String(value).includes("PRIVATE KEY")) {
    return "(not shown)";
  }
  if (typeof value === "number") {
    return value;
  }
  return veiledName.test(name) ? form(value) : withoutLogin(value);
}

/** What a key looks like: `A` for a capital letter, `a` for another one, `0` for a digit. */
function form(key: string): string {
  return key.replace(/[A-Z]/g, "A").replace(/[a-z]/g, "a").replace(/[0-9]/g, "0");
}

/** Addresses without what stands before their host, and without the query that may be a signature. */
function withoutLogin(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^/?#\s]*@/gi, "$1...@")
    .replace(/([a-z][a-z0-9+.-]*:\/\/[^?#\s]*[?#])\S+/gi, "$1...");
}
