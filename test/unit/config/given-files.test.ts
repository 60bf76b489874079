import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pemOf, examineCertificates } from "../../../components/node/ca-certificates.ts";
import { examineScripts } from "../../../components/windows/own-scripts.ts";
import { givenFilesIn } from "../../../config/given-files.ts";
import { SettingsError } from "../../../config/problem.ts";
import { resolveOnHost } from "../../../config/resolve.ts";
import { Cache } from "../../../toolchain/cache.ts";
import { eachCase } from "../each-case.ts";
import { inNewFolder } from "../new-folder.ts";

const fixtures = path.join(import.meta.dirname, "../controlplane/fixtures");
const ca = path.join(fixtures, "ca-rsa.pem");
const other = path.join(fixtures, "localhost-ec.pem");
const key = path.join(fixtures, "test-only-key.pem");
const here = inNewFolder();

function file(name: string, content: string | Buffer): string {
  writeFileSync(here(name), content);
  return here(name);
}

const openssl = (...args: readonly string[]): Buffer =>
  execFileSync("openssl", args, { stdio: ["ignore", "pipe", "ignore"] });

describe("certificates that nodes trust", () => {
  const examine = (file: string, now?: Date) => examineCertificates([[3, file]], now);

  it("are read from PEM, DER and bundles, each once", () => {
    const der = file("ca.cer", openssl("x509", "-in", ca, "-outform", "der"));
    const bundle = file(
      "bundle.pem",
      `# ours\n${readFileSync(ca, "utf8")}${readFileSync(other, "utf8")}`,
    );
    const { certificates, problems } = examineCertificates([...[ca, der, bundle].entries()]);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      certificates.map(({ sha1 }) => sha1),
      [ca, other].map((each) =>
        openssl("x509", "-in", each, "-noout", "-fingerprint")
          .toString()
          .trim()
          .replace(/^.*=/, "")
          .replaceAll(":", ""),
      ),
    );
    assert.equal(pemOf(certificates), readFileSync(ca, "utf8") + readFileSync(other, "utf8"));
    assert.equal(pemOf([]), "");
  });

  const refused: Readonly<Record<string, readonly [file: () => string, why: RegExp, now?: Date]>> =
    {
      "a file that is not there": [() => here("none.pem"), /^does not exist$/],
      "what is no certificate": [
        () => file("text.pem", "hello"),
        /not a certificate in PEM or DER/,
      ],
      "one that is cut off": [
        () => file("cut.pem", readFileSync(ca, "utf8").replace(/\n[^\n]*\n-----END/, "\n-----END")),
        /not a certificate/,
      ],
      "a device": [() => "/dev/zero", /^is not a file$/],
      "a private key": [() => key, /has a private key in it/],
      "a certificate with its key": [
        () => file("both.pem", readFileSync(ca, "utf8") + readFileSync(key, "utf8")),
        /has a private key in it/,
      ],
      "one that has expired": [
        () => ca,
        /of CN=kubernetes, which has expired on 2126-10-28/,
        new Date("2200-01-01"),
      ],
      "a server's, which another has signed": [signedByCa, /CN=server, which is no CA/],
    };
  eachCase("are not %s", refused, ([file, why, now]) => {
    const name = file();
    const { certificates, problems } = examine(name, now);
    assert.deepEqual(certificates, []);
    assert.deepEqual(
      problems.map(({ path, value }) => [path, value]),
      [[["caCertificates", 3], name]],
    );
    assert.match(problems[0]?.why ?? "", why);
    assert.doesNotMatch(JSON.stringify(problems), /BEGIN/);
  });

  it("may be a server's own that it has signed itself", () => {
    const subject = ["-subj", "/CN=registry.test", "-addext", "basicConstraints=critical,CA:FALSE"];
    const pem = openssl("req", "-x509", "-key", key, "-days", "9", ...subject);
    assert.deepEqual(examine(file("self.pem", pem)).problems, []);
  });

  function signedByCa(): string {
    const request = file("server.csr", openssl("req", "-new", "-key", key, "-subj", "/CN=server"));
    const authority = openssl("req", "-x509", "-key", key, "-days", "9", "-subj", "/CN=other CA");
    const signer = ["-CA", file("authority.pem", authority), "-CAkey", key, "-days", "9"];
    return file("server.pem", openssl("x509", "-req", "-in", request, ...signer));
  }
});

describe("scripts for Windows nodes", () => {
  const script = { when: "before-join", runs: "once" } as const;

  const examine = (index: number, path: string, files: readonly string[] = []) =>
    examineScripts([[index, { path, ...script, files }]], new Cache(here("cache")));

  it("are known by their names and contents, and so is what is beside them", async () => {
    const path = file("install.ps1", "exit 0\r\n");
    const agent = file("agent.msi", "exit 0\r\n");
    const { scripts, problems } = await examine(0, path, [agent]);
    assert.deepEqual(problems, []);
    const sha256 = "5e0e6077065598e0b3b20a5d8bda3cf3d641ee1039780467e49abeed04b6903c";
    const files = [{ path: agent, sha256 }];
    assert.deepEqual(scripts, [{ name: "install.ps1", path, ...script, sha256, files }]);
  });

  it("are refused with every file beside them that can't be read", async () => {
    const { problems } = await examine(2, here("none.ps1"), [here("none.msi"), here(".")]);
    assert.deepEqual(
      problems.map(({ path, why }) => [path.slice(2).join("."), why]),
      [
        ["2.path", "does not exist"],
        ["2.files.0", "does not exist"],
        ["2.files.1", "is not a file"],
      ],
    );
  });

  const refused: Readonly<
    Record<string, readonly [content: string | Buffer | undefined, why: RegExp]>
  > = {
    "a file that is not there": [undefined, /^does not exist$/],
    "UTF-16": [Buffer.from("exit 0", "utf16le"), /not in UTF-8/],
    "a program": [Buffer.alloc(2 * 1024 * 1024, "x"), /larger than 1 MiB/],
    "letters that Windows PowerShell would read otherwise": ["'Grüße'", /no byte order mark/],
  };
  eachCase("are not %s", refused, async ([content, why]) => {
    const path = content === undefined ? here("none.ps1") : file("a.ps1", content);
    const { scripts, problems } = await examine(1, path);
    assert.deepEqual(scripts, []);
    assert.deepEqual(problems[0]?.path, ["windows", "scripts", 1, "path"]);
    assert.match(problems[0].why, why);
  });

  it("are not a device, which would never end", async () => {
    const { problems } = await examine(0, "/dev/zero");
    assert.deepEqual(
      problems.map(({ why }) => why),
      ["is not a file"],
    );
  });

  it("may have such letters behind a byte order mark", async () => {
    const path = file("mark.ps1", "\ufeff'Grüße'");
    assert.deepEqual((await examine(0, path)).problems, []);
  });
});

describe("files that the settings name", () => {
  it("are found in what is right of the settings, with their defaults", async () => {
    const path = file("one.ps1", "exit 0");
    const { certificates, scripts, problems } = await givenFilesIn({
      caCertificates: [7, "relative.pem", ca],
      windows: { cpus: "many", scripts: [{ path }, { path: 3 }, { path, runs: "daily" }] },
    });
    assert.equal(certificates.length, 1);
    assert.deepEqual(
      scripts.map(({ name, when, runs }) => [name, when, runs]),
      [["one.ps1", "before-join", "changed"]],
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(await givenFilesIn({}), { certificates: [], scripts: [], problems: [] });
  });

  it("are examined together with everything else", async () => {
    const written = {
      caCertificates: [here("none.pem"), ca],
      windows: { image: { kind: "rehearsal" }, scripts: [{ path: here("none.ps1") }] },
      nodes: [{ name: "win-1" }, { name: "win-1" }],
    };
    await assert.rejects(
      resolveOnHost(written, { stack: "t", file: "Pulumi.t.yaml" }, []),
      (error) => {
        assert.ok(error instanceof SettingsError);
        assert.match(error.message, /caCertificates\[0\].*none\.pem.*does not exist/);
        assert.match(error.message, /windows\.scripts\[0\]\.path.*does not exist/);
        assert.match(error.message, /nodes\[1\]/);
        return true;
      },
    );
    const right = {
      ...written,
      caCertificates: [ca],
      windows: { image: { kind: "rehearsal" } },
      nodes: [],
    };
    const { given } = await resolveOnHost(right, { stack: "t", file: "Pulumi.t.yaml" }, []);
    assert.equal(given.certificates.length, 1);
  });
});
