/** The lab's id on what libvirt has of the lab. It is given on creation, so that a killed run leaves nothing without it. */
import { createHash } from "node:crypto";

import { below, type XmlElement } from "../../../host/read-xml.ts";
import { xmlText } from "../../../host/xml-text.ts";
import { addedTo, stylesheet, withAttribute } from "./xslt.ts";

const namespace = "urn:kindows:lab";

/** The element `<metadata>` of a domain or network. libvirt requires a namespace. */
export function markElement(labId: string): string {
  return `<metadata><lab xmlns="${namespace}" id="${xmlText(labId)}"/></metadata>`;
}

/** The lab's id in the description of a domain or network; empty if there is none. */
export function markOf(described: XmlElement): string {
  const [kind] = described.elements;
  const marks = kind === undefined ? [] : below(kind, "metadata", "lab");
  return marks.find(({ attributes }) => attributes["xmlns"] === namespace)?.attributes["id"] ?? "";
}

/** @param zone the zone of firewalld that libvirt puts the bridge into. Default: libvirt's own. */
export function networkXslt(labId: string, zone?: string): string {
  return stylesheet([
    addedTo("network", [markElement(labId)]),
    ...(zone === undefined ? [] : [withAttribute("bridge", "zone", zone)]),
  ]);
}

/**
 * libvirt keeps no metadata of pools, but the UUID that it is given. So this is one with the lab's id and a hash of the
 * pool's name, of version 8, which RFC 9562 leaves to applications. `markOfUuid` reads the id back.
 */
export function poolUuid(pool: string, labId: string): string {
  const hash = createHash("sha256").update(pool).digest("hex").slice(0, 14);
  const [, first, second, third] = /^(.{3})(.{3})(.{10})$/.exec(labId) ?? [];
  if (third === undefined) throw new Error(`${labId} is not the id of a lab`);
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${first}-8${second}-${third}${hash.slice(12)}`;
}

/** The lab's id in a pool's UUID; empty if there is none. */
export function markOfUuid(uuid: string): string {
  const [, first, second, third] = /^.{8}-.{4}-8(.{3})-8(.{3})-(.{10})..$/.exec(uuid.trim()) ?? [];
  return third === undefined ? "" : `${first}${second}${third}`;
}

export function poolXslt(pool: string, labId: string): string {
  return stylesheet([addedTo("pool", [`<uuid>${poolUuid(pool, labId)}</uuid>`])]);
}
