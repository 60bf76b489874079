import assert from "node:assert/strict";

import {
  conformanceImage,
  conformanceObjects,
  objectsText,
} from "../../../../verify/conformance/objects.ts";
import { localCommand } from "../../../../verify/conformance/run-local.ts";
import { suiteNamed, suites } from "../../../../verify/conformance/suites.ts";
import { assertGolden } from "../../controlplane/golden.ts";

const here = new URL(import.meta.url);
const images = { tests: conformanceImage("1.36.4"), results: "agnhost" };
const runOf = (id: string) => {
  const suite = suiteNamed(id);
  const { timeoutSeconds } = suite;
  return { suite, kubernetesVersion: "1.36.4", windowsNodes: 2, timeoutSeconds };
};

describe("what `kindows conformance` applies", () => {
  for (const { id } of suites) {
    it(`is this: ${id}`, () => {
      const objects = conformanceObjects(runOf(id), images, undefined);
      assertGolden(here, `${id}.yaml`, objectsText(objects));
    });
  }

  it("has the tests' images from other registries where a list says so", () => {
    const list = "gcAuthenticatedRegistry: registry.example.com/private\n";
    const objects = conformanceObjects(runOf("sig-windows"), images, list);
    assertGolden(here, "other-registries.yaml", objectsText(objects));
  });

  it("takes another focus and skip than the suite's", () => {
    const run = { ...runOf("sig-windows"), focus: "Density", skip: "" };
    const text = JSON.stringify(conformanceObjects(run, images, undefined));
    assert.ok(text.includes('"--ginkgo.focus=Density"') && text.includes('"--ginkgo.skip="'), text);
  });

  it("runs the same on this host, with a kubeconfig", () => {
    const [program, ...args] = localCommand({
      run: runOf("sig-windows"),
      programs: "/tests",
      kubeconfig: "/lab/kubeconfig",
      folder: "/results",
    });
    assert.equal(program, "/tests/ginkgo");
    assert.ok(args.includes("/tests/e2e.test"));
    assert.ok(
      args.includes("--kubeconfig=/lab/kubeconfig") && args.includes("--report-dir=/results"),
    );
  });
});
