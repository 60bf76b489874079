import assert from "node:assert/strict";
import {
  WindowsPathError,
  formatWindowsPath,
  windowsPathNames,
} from "../../../rehearsal/host/windows-path.ts";

const home = ["Users", "Administrator"];

const accepted: readonly (readonly [path: string, expected: string])[] = [
  ["C:\\k\\kubelet.exe", "C:\\k\\kubelet.exe"],
  ["C:/k/kubelet.exe", "C:\\k\\kubelet.exe"],
  ["/C:/k/kubelet.exe", "C:\\k\\kubelet.exe"],
  ["c:\\K", "C:\\K"],
  ["C:", "C:\\"],
  ["/C:", "C:\\"],
  ["/", "C:\\"],
  ["\\k", "C:\\k"],
  ["", "C:\\Users\\Administrator"],
  [".", "C:\\Users\\Administrator"],
  ["x.txt", "C:\\Users\\Administrator\\x.txt"],
  ["..\\Public", "C:\\Users\\Public"],
  ["../../../../etc/passwd", "C:\\etc\\passwd"],
  ["C:\\..\\..\\etc\\shadow", "C:\\etc\\shadow"],
  ["/C:/a//b/./c/", "C:\\a\\b\\c"],
  ["C:\\name. .", "C:\\name"],
  ["C:\\console\\com10", "C:\\console\\com10"],
];

const refused: readonly string[] = [
  "D:\\x",
  "/D:/x",
  "z:",
  "\\\\server\\share",
  "//server/share",
  "\\\\?\\C:\\x",
  "\\\\.\\pipe\\containerd-containerd",
  "C:\\a?b",
  "C:\\a*",
  "C:\\a|b",
  'C:\\a"b',
  "C:\\a<b",
  "C:\\a\u0000b",
  "C:\\a\nb",
  "C:\\file.txt:stream",
  "C:\\nul",
  "C:\\x\\CON.txt",
  "C:\\lpt1",
  "C:\\...",
  `C:\\${"x".repeat(256)}`,
];

describe("Windows paths", () => {
  for (const [path, expected] of accepted) {
    it(`reads ${JSON.stringify(path)}`, () => {
      assert.equal(formatWindowsPath(windowsPathNames(path, home)), expected);
    });
  }

  for (const path of refused) {
    it(`refuses ${JSON.stringify(path).slice(0, 40)}`, () => {
      assert.throws(() => windowsPathNames(path, home), WindowsPathError);
    });
  }
});
