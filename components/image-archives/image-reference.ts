/**
 * Adds Docker Hub to a reference without a registry. containerd requires a full reference; settings and `docker save`
 * may omit it.
 */
export function withRegistry(image: string): string {
  if (hasRegistry(image)) return image;
  return `docker.io/${image.includes("/") ? "" : "library/"}${image}`;
}

export function hasRegistry(image: string): boolean {
  const [first = "", ...rest] = image.split("/");
  return rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
}
