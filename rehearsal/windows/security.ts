/**
 * The account that runs a script, and access control lists of files and folders.
 *
 * Sources: https://learn.microsoft.com/dotnet/api/system.security.principal,
 * https://learn.microsoft.com/dotnet/api/system.security.accesscontrol,
 * https://learn.microsoft.com/dotnet/api/system.io.filestream.-ctor.
 */
import { badFormat } from "../../powershell/dotnet/exceptions.ts";
import type { Types } from "../../powershell/types.ts";
import { NetObject, Unsupported, type EnumValue, type Value } from "../../powershell/values.ts";
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
  /** Identifiers of the accounts that have access. */
  readonly trustees: string[];
}

/** SYSTEM and Administrators. */
const administrators = ["S-1-5-18", "S-1-5-32-544"];

const namespace = "System.Security.AccessControl";

/**
 * Access control lists. Only lists that grant access to nobody except administrators are modelled.
 *
 * @param close Restricts a file or folder to administrators.
 */
export function defineAccessControl(
  types: Types,
  files: FileSystem,
  close: (path: string, isFolder: boolean) => Promise<void>,
): void {
  const enumerations: Readonly<Record<string, Record<string, number>>> = {
    FileSystemRights: { FullControl: 2032127 },
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
  const newRule = ({ state }: Identifier) => new NetObject(rule, state);
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
        "()": () => new NetObject(security, { isProtected: false, trustees: [] }),
      },
      methods: {
        "SetAccessRuleProtection(bool, bool)": ({ state }: Security, isProtected: boolean) => {
          state.isProtected = isProtected;
        },
        [`SetOwner(${identifier.name})`]: () => undefined,
        [`AddAccessRule(${rule.name})`]: ({ state }: Security, added: Identifier) =>
          void state.trustees.push(added.state),
      },
    });
  }
  const set = async (path: string, { state }: Security, isFolder: boolean): Promise<void> => {
    if (!state.isProtected || state.trustees.some((each) => !administrators.includes(each))) {
      throw new Unsupported("an access control list that is open to others than administrators");
    }
    await close(path, isFolder);
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
