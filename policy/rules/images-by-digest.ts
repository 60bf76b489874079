import { texts, type Rule } from "../rule.ts";

/** An image's tag can be moved to another image; a digest cannot. */
export const imagesByDigest: Rule = {
  name: "images-by-digest",
  description: "container images are named by digest: a tag may be another image tomorrow",
  check: (preview) =>
    texts(preview).flatMap(({ resource, path, text }) =>
      path.at(-1) !== "image" || /@sha256:[0-9a-f]{64}$/.test(text) || isBuiltHere(text)
        ? []
        : [
            {
              resource: resource.name,
              message: `${path.join(".")} is ${text}: name it as ${text.replace(/@.*$/, "")}@sha256:<digest>`,
            },
          ],
    ),
};

/** The node image where no registry is reachable: built on the host, its tag is the hash of what went into it. */
function isBuiltHere(image: string): boolean {
  return /^kindest\/node:kindows-[0-9a-f]{12}$/.test(image);
}
