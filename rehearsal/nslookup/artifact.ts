import { toolArtifact } from "../../toolchain/tools/tool-artifact.ts";

/** What stands in for Windows' own nslookup.exe in the guest's HostProcess containers. */
export const rehearsalNslookup = toolArtifact({
  name: "rehearsal-nslookup",
  version: "0.1.0",
  go: {
    module: import.meta.dirname,
    packages: { "nslookup.exe": "." },
    os: "windows",
    forWine: true,
  },
});
