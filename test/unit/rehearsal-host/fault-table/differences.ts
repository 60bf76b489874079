/** Notes on the boot in which the pod network was made: after the next one Calico makes its own. */
const ofABoot = [
  "/kindows/state/external-network.json",
  "HKLM\\SOFTWARE\\Tigera\\Calico\\LastBootTime",
];

/** What of a machine is otherwise than on another one; both as `listing` gives them. */
export function differences(
  wanted: Readonly<Record<string, string>>,
  found: Readonly<Record<string, string>>,
): string[] {
  return [...new Set([...Object.keys(wanted), ...Object.keys(found)])]
    .filter((key) => !ofABoot.includes(key))
    .filter((key) => timeless(wanted[key]) !== timeless(found[key]))
    .map((key) => `${key} is ${shown(found[key])}, without the fault ${shown(wanted[key])}`);
}

/** Each machine boots when it boots, and has identifiers of its own. */
function timeless(value: string | undefined): string | undefined {
  return value
    ?.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/\{[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}\}/g, "<id>");
}

function shown(value: string | undefined): string {
  return value === undefined ? "not there" : `'${value.slice(0, 200)}'`;
}
