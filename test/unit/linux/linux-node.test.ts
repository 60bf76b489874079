import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";

import { LinuxNode, type LinuxNodeArgs } from "../../../components/linux/linux-node.ts";
import { linuxPrograms } from "../../../images/linux/programs.ts";
import { kubeletArguments } from "../../../components/linux/steps.ts";
import { registryHosts } from "../../../components/node/registry-hosts.ts";
import { parseStepResult } from "../../../components/node/step-result.ts";
import {
  controlPlaneFixture,
  machineFixture,
  secrets,
  stepAnswer,
} from "../controlplane/fixture-node.ts";
import { look, record, type Recorded, revealed } from "../controlplane/recorded-resources.ts";
import { eachCase } from "../each-case.ts";
import { inNewFolder } from "../new-folder.ts";

const hash = `sha256:${"5".repeat(64)}`;
const sha256 = "a".repeat(64);

const facts: Readonly<Record<string, object>> = {
  "install-programs": { kubernetes: "1.36.4", containerd: "2.4.2" },
  "join-node": { nodeName: "linux-1" },
};

/** Makes a LinuxNode, with what its resources were registered with, by their names behind `node`. */
async function makeNode(change: () => Partial<LinuxNodeArgs> = () => ({})) {
  const { made, resources } = await record(
    (_name, inputs) => stepAnswer(inputs["create"], /\/([a-z-]+)\.sh/, facts),
    (opts) =>
      new LinuxNode(
        "node",
        {
          machine: machineFixture("linux"),
          controlPlane: controlPlaneFixture(),
          token: pulumi.secret(secrets.token),
          programs: { path: import.meta.filename, sha256, kubernetesVersion: "1.36.4" },
          labels: { zone: "b", "example.com/pool": "a" },
          taints: [{ key: "only", value: "tests", effect: "NoSchedule" }],
          kubeletArgs: { "max-pods": "60" },
          ...change(),
        },
        opts,
      ),
  );
  const own = [...resources].flatMap(([key, each]) => {
    const [, name] = /\/node-?(.*)$/.exec(key) ?? [];
    return name === undefined ? [] : [[name, each] as const];
  });
  return { node: made, resources: new Map(own) };
}

describe("a Linux node", () => {
  let made: Awaited<ReturnType<typeof makeNode>>;
  before(async () => (made = await makeNode()));

  const get = (name: string): Recorded => made.resources.get(name) ?? assert.fail(name);
  const create = (name: string): string =>
    String(get(name).inputs["create"]).replace(/-[0-9a-f]{12}\//, "-HASH/");

  it("is made by these resources, and by no others", () =>
    assert.deepEqual([...made.resources.keys()].sort(), [
      ...["", "install-programs", "join-node", "prepare-host"],
      ...["push-programs", "ready", "registration", "steps"],
    ]));

  it("has its steps run with what they need", () => {
    const steps = "sh /var/lib/kindows-steps-HASH";
    assert.equal(create("prepare-host"), `${steps}/prepare-host.sh linux-1 1200`);
    assert.equal(
      create("install-programs"),
      `${steps}/install-programs.sh /var/lib/kindows-programs.tar.gz ${sha256}`,
    );
    assert.equal(
      create("join-node"),
      `${steps}/join-node.sh ${hash} ` +
        "'192.168.150.128=kindows-test-control-plane;192.168.150.129=kindows-test-lb' " +
        `'--cgroup-root=/ --max-pods=60 --node-ip=192.168.150.10' 600`,
    );
  });

  it("gets the images of archives before it joins", async () => {
    const imageArchives = ["1", "2"].map((digit) => ({
      path: digit === "1" ? import.meta.filename : "/nowhere.tar",
      sha256: digit.repeat(64),
    }));
    const { resources } = await makeNode(() => ({ imageArchives }));
    const at = (digit: string): string => `/var/lib/kindows-images-${digit.repeat(12)}.tar`;
    assert.match(
      String(resources.get("import-images")?.inputs["create"]),
      new RegExp(`/import-images.sh ${at("1")} 1{64} ${at("2")} 2{64}$`),
    );
    const pushes = ["1", "2"].map((digit) => resources.get(`push-images-${digit.repeat(12)}`));
    assert.deepEqual(
      pushes.map((push) => push?.inputs["remotePath"]),
      [at("1"), at("2")],
    );
    const after = resources.get("join-node")?.opts.dependsOn as unknown as readonly unknown[];
    assert.ok(after.includes(resources.get("import-images")?.resource));
  });

  it("reports what its steps found", async () => {
    const { nodeName, kubernetesVersion, containerdVersion } = made.node;
    const seen = await Promise.all([nodeName, kubernetesVersion, containerdVersion].map(look));
    const values = seen.map(({ value }) => value);
    assert.deepEqual(values, ["linux-1", "1.36.4", "2.4.2"]);
  });

  it("joins with its labels and taints, by a token that is on standard input only", () => {
    const config = parse(String(revealed(get("join-node").inputs["stdin"]))) as Record<
      string,
      unknown
    >;
    assert.deepEqual(config["nodeRegistration"], {
      name: "linux-1",
      criSocket: "unix:///run/containerd/containerd.sock",
      kubeletExtraArgs: [{ name: "node-labels", value: "example.com/pool=a,zone=b" }],
      taints: [{ key: "only", value: "tests", effect: "NoSchedule" }],
    });
    assert.deepEqual(config["discovery"], {
      bootstrapToken: {
        apiServerEndpoint: "kindows-test-control-plane:6443",
        token: secrets.token,
        caCertHashes: [hash],
      },
    });
    for (const [name, { inputs }] of made.resources) {
      const shown = JSON.stringify({ ...inputs, stdin: undefined });
      assert.ok(!shown.includes(secrets.token), `${name} shows the token`);
    }
  });

  it("has its token removed from the cluster by whoever waits for the Node", () => {
    // Wrapped as a secret, for what else is in it.
    const { environment } = get("registration").inputs;
    assert.equal((revealed(environment) as Record<string, unknown>)["TOKEN_ID"], "abcdef");
  });

  it("goes with its machine; only where that stays is it reset", () => {
    const onMachine = [...made.resources].filter(([, { type }]) => type.includes("remote"));
    assert.equal(onMachine.length, 5);
    for (const [name, { opts }] of onMachine) assert.ok(opts.deletedWith, name);
    const undone = onMachine.filter(([, { inputs }]) => inputs["delete"]);
    assert.deepEqual(
      undone.map(([name]) => name),
      ["join-node"],
    );
    assert.match(String(get("join-node").inputs["delete"]), /^sh \S+\/reset-node\.sh$/);
  });

  it("refuses a Windows machine", () =>
    assert.rejects(
      makeNode(() => ({ machine: { ...machineFixture("windows"), name: "linux-1" } })),
      /linux-1 is a windows machine/,
    ));

  const refused: Readonly<Record<string, readonly [kubernetesVersion: string, RegExp]>> = {
    "of another version": ["1.35.0", /are of Kubernetes 1\.35\.0, the cluster is of 1\.36\.4/],
    "that are not built": ["1.36.4", /are not built: run `\.\/kindows prepare`/],
  };
  eachCase("refuses programs %s", refused, ([kubernetesVersion, message]) =>
    assert.rejects(
      makeNode(() => ({ programs: { path: undefined, sha256, kubernetesVersion } })),
      message,
    ),
  );
});

describe("a Linux node that trusts a CA", () => {
  const certificates = [{ sha1: "A".repeat(40), der: "QUJD" }];

  it("gets its certificate before its programs, and loses it with the setting", async () => {
    const { resources } = await makeNode(() => ({ certificates }));
    const { inputs, resource } = resources.get("trust-certificates") ?? assert.fail("no step");
    const [, pem = ""] = /trust-certificates\.sh (\S+)$/.exec(String(inputs["create"])) ?? [];
    assert.equal(
      Buffer.from(pem, "base64").toString(),
      "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n",
    );
    assert.match(String(inputs["delete"]), /trust-certificates\.sh$/);
    const { dependsOn } = resources.get("install-programs")?.opts ?? {};
    assert.ok(Array.isArray(dependsOn) && dependsOn.some((each) => each === resource));
  });
});

describe("a Linux node in a lab with a registry", () => {
  it("is told of it before it joins, and no longer without the setting", async () => {
    const registry = pulumi.output("192.0.2.254:5000");
    const { resources } = await makeNode(() => ({ registry }));
    const { inputs, resource } = resources.get("trust-registry") ?? assert.fail("no step");
    const [, hosts = ""] = /\/trust-registry\.sh (\S+)$/.exec(String(inputs["create"])) ?? [];
    const text = Buffer.from(hosts, "base64").toString();
    assert.equal(text, registryHosts("192.0.2.254:5000"));
    assert.match(text, /^\[host\."http:\/\/192\.0\.2\.254:5000"\]$/m);
    assert.match(String(inputs["delete"]), /\/trust-registry\.sh$/);
    const { dependsOn } = resources.get("install-programs")?.opts ?? {};
    assert.ok(Array.isArray(dependsOn) && dependsOn.some((each) => each === resource));
  });
});

describe("a Linux node's kubelet", () => {
  const cases: readonly [args: Record<string, string>, line: string][] = [
    [{}, "--cgroup-root=/"],
    [{ v: "4", "node-ip": "192.0.2.1" }, "--cgroup-root=/ --node-ip=192.0.2.1 --v=4"],
    // Not by the settings: these refuse it.
    [{ "cgroup-root": "/kubelet" }, "--cgroup-root=/"],
  ];
  for (const [args, line] of cases) {
    it(`has ${line}`, () => assert.equal(kubeletArguments(args), line));
  }
});

const steps = path.join(import.meta.dirname, "../../../components/linux/steps");
const library = path.join(steps, "lib.sh");

/** Runs lines with the steps' library, as a step does: `sh`, `set -eu`. */
function run(lines: string) {
  const command = ["-c", `set -eu\n. ${library}\n${lines}`];
  return spawnSync("sh", command, { encoding: "utf8", timeout: 300_000 });
}

describe("the library of the Linux steps", () => {
  let at: ReturnType<typeof inNewFolder>;
  beforeEach(() => (at = inNewFolder()));

  it("gives a result that this program reads", () => {
    const { stdout } = run(`begin join-node\nchanged=true\nfinish '"nodeName":"linux-1"'`);
    const { changed, facts, rebootRequired } = parseStepResult("join-node", "linux-1", stdout);
    assert.deepEqual(
      { changed, facts, rebootRequired },
      { changed: true, facts: { nodeName: "linux-1" }, rebootRequired: false },
    );
  });

  it("ends with code, reason and remedy where something is wrong", () => {
    const { status, stdout, stderr } = run(
      "begin prepare-host\nfail NoGood 'it is bad.' 'Do this.'",
    );
    assert.equal(status, 1);
    assert.equal(stdout, "");
    assert.match(stderr, /^prepare-host on \S+ failed \(NoGood\): it is bad\. Do this\.\n$/);
  });

  const written = {
    "one that is not there": ["", "true"],
    "one with another content": ["old\n", "true"],
    "none that is so already": ["new\n", "false"],
  } as const;
  eachCase<readonly [before: string, changed: string]>(
    "writes %s",
    written,
    ([before, changed]) => {
      const file = at("file");
      if (before !== "") writeFileSync(file, before);
      const { stdout } = run(`begin x\nwrite_file ${file} <<CONF\nnew\nCONF\necho $changed`);
      assert.equal(readFileSync(file, "utf8"), "new\n");
      assert.deepEqual(readdirSync(at()), ["file"]);
      assert.equal(stdout.trim(), changed);
    },
  );

  it("names the packages of programs that are missing", () => {
    const { stdout } = run("packages_of conntrack ip modprobe nsenter sha256sum iptables");
    assert.equal(stdout, "conntrack\niproute2\nkmod\nutil-linux\ncoreutils\niptables\n");
  });

  it("finds programs that are not there", () => {
    const { stdout } = run(`PATH=${at()}; missing_programs`);
    assert.match(stdout, /^ conntrack gzip ip .* tar$/);
    const programs = stdout.trim().split(" ");
    for (const name of programs) writeFileSync(at(name), "", { mode: 0o755 });
    assert.equal(run(`PATH=${at()}; missing_programs`).stdout, "");
  });

  const installed: Readonly<Record<string, readonly [aptGet: string, code: number]>> = {
    installs: ['echo "$@" >>"$0.log"', 0],
    "says that nothing was installed where there is no mirror": ["exit 100", 100],
  };
  eachCase("%s, by apt-get", installed, ([aptGet, code]) => {
    const program = at("apt-get");
    writeFileSync(program, `#!/bin/sh\n${aptGet}\n`, { mode: 0o755 });
    const done = run(`PATH=${at()}:$PATH; install_packages conntrack iptables`);
    assert.equal(done.status, code);
    if (code === 0) {
      assert.match(
        readFileSync(`${program}.log`, "utf8"),
        /update\n.* --yes .* install conntrack iptables\n$/,
      );
    }
  });

  it("waits until a command is successful, and no longer than it may", () => {
    const file = at("later");
    assert.equal(run(`(sleep 1; : >${file}) & await 300 test -e ${file}`).status, 0);
    assert.equal(run("await 1 false || exit 7").status, 7);
  });
});

describe("the Linux steps", () => {
  const scripts = readdirSync(steps).filter((name) => name !== "lib.sh");
  for (const name of scripts) {
    const text = readFileSync(path.join(steps, name), "utf8");
    it(`${name} stops at the first failure, says who it is, and ends with a result`, () => {
      assert.match(text, /^#!\/bin\/sh\n/);
      assert.match(text, /\nset -eu\n/);
      assert.ok(text.includes(`\nbegin ${name.replace(".sh", "")}\n`));
      assert.match(text.trimEnd().split("\n").at(-1) ?? "", /^finish /);
    });
  }
});

describe("the step import-images", () => {
  let at: ReturnType<typeof inNewFolder>;
  beforeEach(() => (at = inNewFolder()));

  const step = (...args: readonly string[]) =>
    spawnSync("sh", [path.join(steps, "import-images.sh"), ...args], {
      encoding: "utf8",
      env: { PATH: `${at()}:${process.env["PATH"] ?? ""}` },
    });
  const result = (stdout: string): unknown => parseStepResult("import-images", "x", stdout).changed;

  it("imports each archive once, and leaves none of them", () => {
    writeFileSync(at("ctr"), `#!/bin/sh\necho "$@" >>${at("log")}\n`, { mode: 0o755 });
    const args = ["a", "b"].flatMap((name) => {
      writeFileSync(at(name), name);
      return [at(name), createHash("sha256").update(name).digest("hex")];
    });
    assert.equal(result(step(...args).stdout), true);
    assert.equal(result(step(...args).stdout), false);
    const log = readFileSync(at("log"), "utf8").trim().split("\n");
    assert.deepEqual(
      log,
      ["a", "b"].map((name) => `--namespace k8s.io images import ${at(name)}`),
    );
    assert.deepEqual(readdirSync(at()).sort(), ["a.imported", "b.imported", "ctr", "log"]);
  });

  const failing: Readonly<Record<string, readonly [content: string, code: RegExp]>> = {
    "an archive that is not there": ["", /\(MediumMissing\)/],
    "another archive": ["other", /\(ChecksumMismatch\)/],
    "one that containerd does not take": ["right", /\(ImportFailed\)/],
  };
  eachCase("refuses %s", failing, ([content, code]) => {
    writeFileSync(at("ctr"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    if (content !== "") writeFileSync(at("a"), content);
    const done = step(at("a"), createHash("sha256").update("right").digest("hex"));
    assert.equal(done.status, 1);
    assert.match(done.stderr, code);
    assert.ok(!readdirSync(at()).includes("a.imported"));
  });
});

describe("the step trust-certificates", () => {
  let at: ReturnType<typeof inNewFolder>;
  beforeEach(() => {
    at = inNewFolder();
    const text = readFileSync(path.join(steps, "trust-certificates.sh"), "utf8");
    const folders = [at("certificates"), at("kindows-certificates")];
    const moved = text
      .replaceAll("/usr/local/share/ca-certificates", folders[0] ?? "")
      .replaceAll("/var/lib/kindows-certificates", folders[1] ?? "")
      .replace('"$(dirname "$0")/lib.sh"', library);
    writeFileSync(at("step"), moved);
    for (const name of ["update-ca-certificates", "systemctl", "sync"]) {
      writeFileSync(at(name), `#!/bin/sh\necho ${name} "$@" >>${at("log")}\n`, { mode: 0o755 });
    }
  });

  const pem = (...contents: readonly string[]): string =>
    contents
      .map((each) => `-----BEGIN CERTIFICATE-----\n${each}\n-----END CERTIFICATE-----\n`)
      .join("");
  function step(text?: string): boolean {
    const args = text === undefined ? [] : [Buffer.from(text).toString("base64")];
    const env = { PATH: `${at()}:${process.env["PATH"] ?? ""}` };
    const done = spawnSync("sh", [at("step"), ...args], { encoding: "utf8", env });
    assert.equal(done.status, 0, done.stderr);
    return parseStepResult("trust-certificates", "x", done.stdout).changed;
  }
  const log = (): string[] => readFileSync(at("log"), "utf8").trim().split("\n");

  it("gives one file for each, once, and takes away what it has given", () => {
    assert.equal(step(pem("one", "two")), true);
    const [first, ...others] = readdirSync(at("certificates")).sort();
    assert.deepEqual([first, ...others], ["kindows-1.crt", "kindows-2.crt"]);
    assert.equal(readFileSync(at("certificates/kindows-2.crt"), "utf8"), pem("two"));
    const once = ["update-ca-certificates", "systemctl try-restart containerd", "sync"];
    assert.deepEqual(log(), once);
    assert.equal(step(pem("one", "two")), false);
    assert.deepEqual(log(), once);
    writeFileSync(at("certificates/theirs.crt"), "");
    assert.equal(step(pem("two")), true);
    assert.deepEqual(readdirSync(at("certificates")).sort(), ["kindows-1.crt", "theirs.crt"]);
    assert.equal(step(), true);
    assert.deepEqual(readdirSync(at("certificates")), ["theirs.crt"]);
    assert.deepEqual(
      readdirSync(at()).filter((name) => name.startsWith("kindows")),
      [],
    );
    assert.equal(step(), false);
  });

  it("does it again if it was cut short", () => {
    writeFileSync(at("update-ca-certificates"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    assert.throws(() => step(pem("one")));
    writeFileSync(at("update-ca-certificates"), "#!/bin/sh\n", { mode: 0o755 });
    assert.equal(step(pem("one")), true);
  });
});

describe("the step trust-registry", () => {
  it("writes where it is, once, and takes it away", () => {
    const at = inNewFolder();
    const text = readFileSync(path.join(steps, "trust-registry.sh"), "utf8")
      .replace("/etc/containerd/certs.d", at("certs.d"))
      .replace('"$(dirname "$0")/lib.sh"', library);
    writeFileSync(at("step"), text);
    const step = (...args: readonly string[]): boolean => {
      const done = spawnSync("sh", [at("step"), ...args], { encoding: "utf8" });
      assert.equal(done.status, 0, done.stderr);
      return parseStepResult("trust-registry", "x", done.stdout).changed;
    };
    const hosts = at("certs.d/localhost:5001/hosts.toml");
    const [here, there] = ["192.0.2.254:5000", "192.0.2.253:5000"].map(registryHosts);
    const written = (text = ""): string => Buffer.from(text).toString("base64");
    assert.deepEqual([step(written(here)), step(written(here))], [true, false]);
    assert.equal(readFileSync(hosts, "utf8"), here);
    assert.equal(step(written(there)), true);
    assert.deepEqual([step(), step()], [true, false]);
    assert.deepEqual(readdirSync(at("certs.d")), []);
  });
});

describe("a Linux node's programs", () => {
  it("are known by files that are there", () => assert.doesNotReject(linuxPrograms.inputs()));
});
