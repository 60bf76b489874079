/** The account that a script runs as. Source: https://learn.microsoft.com/dotnet/api/system.security.principal. */
import type { Types } from "../../powershell/types.ts";
import { NetObject, type EnumValue } from "../../powershell/values.ts";

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
      "(System.Security.Principal.WindowsIdentity)": (_: null, identity: NetObject<Account>) =>
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
