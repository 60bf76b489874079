import { toolArtifact } from "../../toolchain/tools/tool-artifact.ts";

/** What stands in for Windows' own curl.exe in the guest's HostProcess containers. */
export const rehearsalCurl = toolArtifact({
  name: "rehearsal-curl",
  version: "0.1.0",
  go: {
    module: import.meta.dirname,
    packages: { "curl.exe": "." },
    os: "windows",
    forWine: true,
  },
});
