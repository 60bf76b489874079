/** Writes the package @kindows/components to `dist`: JavaScript with types, the files beside it, the components' schema. */
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Analyzer } from "@pulumi/pulumi/provider/experimental/analyzer.js";
import { generateSchema } from "@pulumi/pulumi/provider/experimental/schema.js";
import * as exported from "./components.ts";
import { projectRoot } from "../../toolchain/project.ts";

const source = path.join(projectRoot, "components");
const library = path.join(source, "library");
const dist = path.join(source, "dist");
const sdk = "@pulumi/libvirt";

rmSync(dist, { recursive: true, force: true });
const compiler = path.join(projectRoot, "node_modules/typescript/bin/tsc");
execFileSync(process.execPath, [compiler, "-p", library], { stdio: "inherit" });

for (const file of filesBelow(source, /\.(ps1|sh|txt|yaml)$|(SecretPatterns|NodeFolders)\.json$/)) {
  cpSync(path.join(source, file), path.join(dist, "components", file));
}
for (const file of ["software.lock.json", "offline/modules/calico"]) {
  cpSync(path.join(projectRoot, file), path.join(dist, file), { recursive: true });
}

// No registry has this SDK of the libvirt provider.
cpSync(path.join(projectRoot, "sdks/libvirt/bin"), path.join(dist, "sdks/libvirt"), {
  recursive: true,
});
for (const file of filesBelow(dist, /\.(d\.ts|js)$/)) {
  const text = readFileSync(path.join(dist, file), "utf8");
  if (file.startsWith("sdks") || !text.includes(sdk)) continue;
  const there = path.posix.relative(path.dirname(file), "sdks/libvirt/index.js");
  writeFileSync(path.join(dist, file), text.replaceAll(`"${sdk}"`, `"${there}"`));
}

const { description, version } = JSON.parse(
  readFileSync(path.join(source, "package.json"), "utf8"),
) as { readonly description: string; readonly version: string };
const { components, typeDefinitions, dependencies } = new Analyzer(
  library,
  "kindows",
  { main: "components.ts" },
  new Set(Object.keys(exported)),
).analyze();
const schema = generateSchema(
  ...(["kindows", version, description] as const),
  ...([components, typeDefinitions, dependencies] as const),
);
writeFileSync(
  path.join(dist, "components/library/schema.json"),
  `${JSON.stringify(schema, undefined, 2)}\n`,
);

function filesBelow(folder: string, wanted: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => wanted.test(file) && !/^(dist|node_modules)\//.test(file),
  );
}
