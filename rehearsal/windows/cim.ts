/**
 * The cmdlets for CIM classes, which are declared in other files.
 *
 * Source: https://learn.microsoft.com/powershell/module/cimcmdlets (Get-CimInstance, Invoke-CimMethod).
 */
import { cmdlets, type Call, type Cmdlet } from "../powershell/commands.ts";
import { toBool, toText } from "../powershell/convert.ts";
import * as is from "../powershell/types.ts";
import {
  type CustomObject,
  Hashtable,
  isNull,
  Unsupported,
  type Value,
} from "../powershell/values.ts";
import { object } from "./objects.ts";

type Instances = readonly Readonly<Record<string, Value>>[];

export interface CimClass {
  readonly instances: () => Instances | Promise<Instances>;
  /** Methods by name. Each returns its ReturnValue. */
  readonly methods?: Readonly<
    Record<string, (instance: CustomObject, args: Hashtable) => Promise<number>>
  >;
}

export type CimClasses = Readonly<Record<string, CimClass>>;

export function cimCmdlets(classes: CimClasses): readonly Cmdlet[] {
  const classOf = (name: string): CimClass => {
    const key = Object.keys(classes).find((each) => each.toLowerCase() === name.toLowerCase());
    const found = key === undefined ? undefined : classes[key];
    if (!found) throw new Unsupported(`the CIM class ${name}`);
    return found;
  };
  /** Get-WmiObject has the same objects, of another type. */
  const wmi = "System.Management.ManagementObject#root\\cimv2\\";
  const list = (type: string) => async (call: Call) => {
    const name = call.text("ClassName") ?? call.text("Class") ?? "";
    for (const properties of await classOf(name).instances()) {
      const instance = object(properties);
      instance.typeNames = [`${type}${name}`];
      if (fits(instance, call.text("Filter") ?? "")) await call.emit(instance);
    }
  };
  return cmdlets({
    "Get-WmiObject [-Class] <string> [-Filter <string>]": list(wmi),
    "Get-CimInstance [-ClassName] <string> [-Filter <string>]": list(
      "Microsoft.Management.Infrastructure.CimInstance#root/cimv2/",
    ),
    async "Invoke-CimMethod [-InputObject] <object> [-MethodName] <string> [[-Arguments] <Collections.IDictionary>]"(
      call,
    ) {
      const instance = call.get("InputObject") as CustomObject;
      const name = instance.typeNames[0]?.replace(/^.*\//, "") ?? "";
      const method = classOf(name).methods?.[call.text("MethodName") ?? ""];
      if (!method) {
        throw new Unsupported(`the method ${call.text("MethodName") ?? ""} of ${name}`);
      }
      const args = call.get("Arguments");
      const given = args instanceof Hashtable ? args : new Hashtable(is.hashtable);
      await call.emit(object({ ReturnValue: await method(instance, given) }));
    },
  });
}

/** Whether an instance satisfies a WQL condition, which consists of comparisons joined by AND. */
function fits(instance: CustomObject, filter: string): boolean {
  const conditions = filter === "" ? [] : filter.split(/\s+AND\s+/i);
  return conditions.every((condition) => {
    const [, name = "", isNot, text, word] =
      /^(\w+)\s*(?:IS (NOT )?NULL|=\s*(?:'([^']*)'|(TRUE|FALSE|\d+)))$/i.exec(condition) ?? [];
    const value = instance.get(name);
    if (value === undefined) throw new Unsupported(`the condition ${condition}`);
    if (text !== undefined) return toText(value).toLowerCase() === text.toLowerCase();
    if (word !== undefined) {
      return /^\d/.test(word) ? toText(value) === word : toBool(value) === /^true$/i.test(word);
    }
    return isNull(value) === (isNot === undefined);
  });
}
