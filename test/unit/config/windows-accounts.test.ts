import assert from "node:assert/strict";
import { resolveExisting } from "../../../config/existing.ts";
import { SettingsError } from "../../../config/problem.ts";
import { eachCase } from "../each-case.ts";

function mistakesWith(user: string): readonly string[] {
  const settings = {
    cluster: { kubeconfig: { file: "/k" } },
    login: { privateKeyFile: "/key", user },
    nodes: [
      {
        name: "win-1",
        address: "192.0.2.11",
        hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB",
      },
    ],
  };
  try {
    assert.equal(resolveExisting(settings, { file: "x" }).nodes[0]?.login.user, user);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.problems.map(({ path }) => path.join("."));
  }
}

/** Names of accounts on Windows machines, and whether they are ones. */
const accounts: Readonly<Record<string, boolean>> = {
  Administrator: true,
  "CORP\\svc-k8s": true, // PowerShell/Win32-OpenSSH#1022
  "svc-k8s@corp.example": true, // PowerShell/Win32-OpenSSH#127
  "Local Admin": true, // PowerShell/Win32-OpenSSH#17
  Администратор: true, // PowerShell/Win32-OpenSSH#1730
  Järjestelmänvalvoja: true,
  Administrateur: true, // vmware/packer-examples-for-vsphere#332
  svc_k8s$: true,
  "": false,
  "-oProxyCommand=x": false,
  " Administrator": false,
  "Administrator ": false,
  "a\nb": false,
  'a"b': false,
  "a/b": false,
  "a\\b\\c": false,
  "a@b@c": false,
  "a;b": false,
};

describe("an account on a Windows machine", () => {
  eachCase("%s", accounts, (isOne, name) =>
    assert.deepEqual(mistakesWith(name), isOne ? [] : ["login.user"]),
  );
});
