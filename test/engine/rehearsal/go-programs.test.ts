import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import { projectRoot } from "../../../toolchain/project.ts";
import { goEnvironment } from "../../../toolchain/tools/go-build.ts";
import { ensureGo } from "../../../toolchain/tools/go-toolchain.ts";

/** What the rehearsal guest runs of our own is tested on this system: all but its calls of Windows is the same. */
describe("the rehearsal's own Go programs", () => {
  before(() => ensureGo("the tests", () => undefined));

  for (const module of ["rehearsal/cri", "rehearsal/curl", "rehearsal/nslookup"]) {
    it(`pass the tests of ${module}`, () =>
      execa("go", ["test", "-vet=all", "./..."], {
        cwd: path.join(projectRoot, module),
        // Go keeps results by the variables that tests read, and this process's own folder is another one each time.
        env: { ...goEnvironment("go-tests"), TMPDIR: path.dirname(os.tmpdir()) },
      }));
  }
});
