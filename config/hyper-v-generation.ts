import type { WrittenSettings } from "./settings.ts";

type Host = Pick<WrittenSettings["hyperVHosts"][number], "generation" | "secureBoot">;
type Image = WrittenSettings["windows"]["image"];

/** Generation that an image wants by the settings; undefined for a disk of the user's, which may be either. */
export function generationOf(image: Image): 1 | 2 | undefined {
  return "firmware" in image ? (image.firmware === "uefi" ? 2 : 1) : undefined;
}

/** How the machines of a host start. */
export function startOf(
  { generation: written, secureBoot }: Host,
  image: Image,
): { readonly generation: 1 | 2; readonly secureBoot: boolean } {
  const generation = written ?? generationOf(image) ?? 1;
  return { generation, secureBoot: generation === 2 && secureBoot !== false };
}
