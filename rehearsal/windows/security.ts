/**
 * The account that runs a script, and access control lists of files and folders.
 *
 * Sources: https://learn.microsoft.com/dotnet/api/system.security.principal,
 * https://learn.microsoft.com/dotnet/api/system.security.accesscontrol,
 * https://learn.microsoft.com/dotnet/api/system.io.filestream.-ctor.
 */
import { badFormat } from "../powershell/dotnet/exceptions.ts";
import type { Types } from "../powershell/types.ts";
import { NetObject, Unsupported, type EnumValue, type Value } from "../powershell/values.ts";
import type { FileMode, FileSystem } from "./file-streams.ts";

export interface Account {
  readonly name: string;
  readonly isAdministrator: boolean;
}

export function defineSecurityTypes(types: Types, account: Account): void {
  types.define({
    name: "System.Security.Principal.WindowsIdentity",
    properties: { Name: () => account.name },
    methods: { "Dispose()": () => undefined },
    staticMethods: {
      "GetCurrent()": () =>
        new NetObject(types.get("System.Security.Principal.WindowsIdentity"), account),
    },
  });
  types.define({
    name: "System.Security.Principal.WindowsBuiltInRole",
    enumeration: { Administrator: 544, User: 545 },
  });
  types.define({
    name: "System.Security.Principal.WindowsPrincipal",
    constructors: {
      "(System.Security.Principal.WindowsIdentity)": (identity: NetObject<Account>) =>
        new NetObject(types.get("System.Security.Principal.WindowsPrincipal"), identity.state),
    },
    methods: {
      "IsInRole(System.Security.Principal.WindowsBuiltInRole)": (
        { state }: NetObject<Account>,
        role: EnumValue,
      ) => role.name === "User" || state.isAdministrator,
    },
  });
}

interface AccessControl {
  /** Whether the parent folder's rules are not inherited. */
  isProtected: boolean;
  readonly rules: Rule[];
}

/** What an account may do. */
interface Rule {
  readonly trustee: string;
  readonly rights: string;
}

/** SYSTEM and Administrators. */
const administrators = ["S-1-5-18", "S-1-5-32-544"];

const users = "S-1-5-32-545";

const namespace = "System.Security.AccessControl";

/**
 * Access control lists. Only lists with which nobody except administrators can change anything are modelled.
 *
 * @param close Restricts a file or folder to administrators, or with `usersRead` its changes.
 */
export function defineAccessControl(
  types: Types,
  files: FileSystem,
  close: (path: string, isFolder: boolean, usersRead: boolean) => Promise<void>,
): void {
  const enumerations: Readonly<Record<string, Record<string, number>>> = {
    FileSystemRights: { FullControl: 2032127, ReadAndExecute: 131241 },
    InheritanceFlags: { None: 0, ContainerInherit: 1, ObjectInherit: 2 },
    PropagationFlags: { None: 0 },
    AccessControlType: { Allow: 0 },
  };
  for (const [name, enumeration] of Object.entries(enumerations)) {
    types.define({ name: `${namespace}.${name}`, enumeration });
  }
  types.define({ name: "System.IO.FileOptions", enumeration: { None: 0 } });
  const identifier = types.define({
    name: "System.Security.Principal.SecurityIdentifier",
    constructors: {
      "(string)": (text: string) => {
        if (!/^S-1-\d+(-\d+)+$/.test(text)) throw badFormat("Value was invalid.");
        return new NetObject(identifier, text);
      },
    },
  });
  type Identifier = NetObject<string>;
  const [rights, inherited, propagated, control] = Object.keys(enumerations).map(
    (name) => `${namespace}.${name}`,
  );
  const newRule = ({ state: trustee }: Identifier, { name }: EnumValue) =>
    new NetObject(rule, { trustee, rights: name });
  const rule = types.define({
    name: `${namespace}.FileSystemAccessRule`,
    constructors: {
      [`(${identifier.name}, ${rights}, ${control})`]: newRule,
      [`(${identifier.name}, ${rights}, ${inherited}, ${propagated}, ${control})`]: newRule,
    },
  });
  type Security = NetObject<AccessControl>;
  for (const name of ["DirectorySecurity", "FileSecurity"]) {
    const security = types.define({
      name: `${namespace}.${name}`,
      constructors: {
        "()": () => new NetObject(security, { isProtected: false, rules: [] }),
      },
      methods: {
        "SetAccessRuleProtection(bool, bool)": ({ state }: Security, isProtected: boolean) => {
          state.isProtected = isProtected;
        },
        [`SetOwner(${identifier.name})`]: () => undefined,
        [`AddAccessRule(${rule.name})`]: ({ state }: Security, added: NetObject<Rule>) =>
          void state.rules.push(added.state),
      },
    });
  }
  const set = async (path: string, { state }: Security, isFolder: boolean): Promise<void> => {
    const others = state.rules.filter(({ trustee }) => !administrators.includes(trustee));
    const isReadOnly = others.every(
      (each) => each.trustee === users && each.rights !== "FullControl",
    );
    if (!state.isProtected || !isReadOnly) {
      throw new Unsupported(
        "an access control list by which others than administrators can change something",
      );
    }
    await close(path, isFolder, others.length > 0);
  };
  types.extend("System.IO.Directory", {
    staticMethods: {
      [`SetAccessControl(string, ${namespace}.DirectorySecurity)`]: (
        path: string,
        security: Security,
      ) => set(files.resolve(path), security, true),
    },
  });
  types.extend("System.IO.FileStream", {
    constructors: {
      [`(string, System.IO.FileMode, ${rights}, System.IO.FileShare, int, System.IO.FileOptions, ${namespace}.FileSecurity)`]:
        async (
          path: string,
          mode: EnumValue,
          _rights: Value,
          share: EnumValue,
          _bufferSize: Value,
          _options: Value,
          security: Security,
        ) => {
          const full = files.resolve(path);
          const handle = await files.open(full, {
            mode: mode.name as FileMode,
            access: "ReadWrite",
            share: share.name,
          });
          await set(full, security, false);
          return new NetObject(types.get("System.IO.FileStream"), handle);
        },
    },
  });
}
