import { element, renderXml } from "./xml.ts";
import type { XmlElement } from "./xml.ts";

/** A configuration pass of Windows Setup, in order. */
export type Pass = "windowsPE" | "offlineServicing" | "generalize" | "specialize" | "oobeSystem";

/** A component of Windows, by its name without `Microsoft-Windows-`, and its settings in a pass. */
export interface ComponentSettings {
  readonly pass: Pass;
  readonly component: string;
  readonly settings: readonly XmlElement[];
}

/** An answer file: settings by pass and component. */
export function renderUnattend(all: readonly ComponentSettings[]): string {
  const passes = [...new Set(all.map(({ pass }) => pass))];
  return renderXml({
    name: "unattend",
    attributes: {
      xmlns: "urn:schemas-microsoft-com:unattend",
      "xmlns:wcm": "http://schemas.microsoft.com/WMIConfig/2002/State",
    },
    content: passes.map((pass) => ({
      name: "settings",
      attributes: { pass },
      content: all.filter((each) => each.pass === pass).map(component),
    })),
  });
}

function component({ component: name, settings }: ComponentSettings): XmlElement {
  return {
    name: "component",
    attributes: {
      name: `Microsoft-Windows-${name}`,
      processorArchitecture: "amd64",
      publicKeyToken: "31bf3856ad364e35",
      language: "neutral",
      versionScope: "nonSxS",
    },
    content: settings,
  };
}

/** An item that Setup adds to a list. */
export function item(name: string, content: readonly XmlElement[]): XmlElement {
  return { name, attributes: { "wcm:action": "add" }, content };
}

/** An item of a list with keys. */
export function keyedItem(name: string, key: number, content: readonly XmlElement[]): XmlElement {
  return { name, attributes: { "wcm:action": "add", "wcm:keyValue": String(key) }, content };
}

/** Settings with simple values. */
export function values(
  settings: Readonly<Record<string, string | number | boolean>>,
): XmlElement[] {
  return Object.entries(settings).map(([name, value]) => element(name, String(value)));
}

/**
 * A password in the form of answer files: base64 of UTF-16LE, followed by the element's name. This is no protection.
 *
 * @param name name of the element: `AdministratorPassword`, or `Password`.
 */
export function password(name: string, secret: string): XmlElement {
  const value = Buffer.from(`${secret}${name}`, "utf16le").toString("base64");
  return element(name, values({ Value: value, PlainText: false }));
}
