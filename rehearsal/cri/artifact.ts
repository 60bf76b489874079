import { toolArtifact } from "../../toolchain/tools/tool-artifact.ts";

/** The CRI server in front of the guest's containerd. */
export const rehearsalCri = toolArtifact({
  name: "rehearsal-cri",
  version: "0.1.0",
  go: {
    module: import.meta.dirname,
    packages: { "rehearsal-cri.exe": "." },
    os: "windows",
    forWine: true,
  },
});
