/** Values of the model as JSON, for Bridge.cs, and back. */
import { toText } from "../../../rehearsal/powershell/convert.ts";
import * as is from "../../../rehearsal/powershell/types.ts";
import { typeOf, type Types } from "../../../rehearsal/powershell/types.ts";
import {
  Char,
  CustomObject,
  EnumValue,
  Hashtable,
  type NetException,
  NetObject,
  NetType,
  nothing,
  Num,
  PsArray,
  type Raised,
  Switch,
  Unsupported,
  type Value,
} from "../../../rehearsal/powershell/values.ts";
import type { Moment } from "../../../rehearsal/windows/time-types.ts";

export type Json = null | string | number | boolean | { readonly [name: string]: Json } | Json[];

/** Types whose objects are made anew from their text. */
const byText = /^System\.(Guid|Version|Net\.IPAddress|Uri)$/;

export class Wire {
  readonly #objects: NetObject[] = [];

  constructor(private readonly types: Types) {}

  encode(value: Value): Json {
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value === "number") return value;
    if (value === nothing) return { nothing: true };
    if (typeof value === "bigint") return { number: String(value), of: "System.Int64" };
    if (value instanceof Num) return { number: String(value.value), of: value.type.name };
    if (value instanceof Char) return value.text;
    if (value instanceof Switch) return value.isPresent;
    if (value instanceof EnumValue) return { named: value.name, of: value.type.name };
    if (value instanceof NetType) return { type: value.name };
    if (value instanceof PsArray) {
      const of = value.type.element?.name ?? "System.Object";
      return { list: value.items.map((each) => this.encode(each)), of };
    }
    if (value instanceof Hashtable) {
      return {
        table: value.entries().map(({ key, value: of }) => [this.encode(key), this.encode(of)]),
      };
    }
    if (value instanceof CustomObject) {
      const names = [...value.typeNames];
      if (value.type !== is.customObject) names.push(value.type.name);
      const properties = [...value.properties.values()].map((each) => [
        each.name,
        this.encode(each.value),
      ]);
      return { properties, names, of: "" };
    }
    if (value instanceof NetObject) return this.#object(value);
    throw new Unsupported(`[${typeOf(value).name}] for a real PowerShell`);
  }

  #object(value: NetObject): Json {
    const { name } = value.type;
    if (name === "System.DateTime") {
      const { ticks, kind } = value.state as Moment;
      return { moment: String(ticks), kind };
    }
    if (name === "System.TimeSpan") return { span: value.state as number };
    if (byText.test(name)) return { text: toText(value), of: name };
    return { handle: this.#objects.push(value) - 1, of: name };
  }

  decode(json: Json): Value {
    if (json === null || typeof json !== "object") return json;
    const node = json as Readonly<Record<string, Json>>;
    const of = typeof node["of"] === "string" ? node["of"] : "";
    if (node["number"] !== undefined) {
      const type = this.types.find(of) ?? is.double;
      return type === is.long
        ? BigInt(node["number"] as string)
        : new Num(type, Number(node["number"]));
    }
    if (node["named"] !== undefined) {
      const found = this.types.find(of)?.enumeration?.get((node["named"] as string).toLowerCase());
      if (!found) throw new Unsupported(`[${of}]::${node["named"] as string}`);
      return found;
    }
    if (node["moment"] !== undefined) {
      const ticks = BigInt(node["moment"] as string);
      const kind = node["kind"] as Moment["kind"];
      return new NetObject(this.types.get("System.DateTime"), { ticks, kind });
    }
    if (node["span"] !== undefined)
      return new NetObject(this.types.get("System.TimeSpan"), node["span"]);
    if (node["handle"] !== undefined) return this.#objects[node["handle"] as number] ?? null;
    if (node["type"] !== undefined) return this.types.get(node["type"] as string);
    if (node["list"] !== undefined) {
      const items = (node["list"] as Json[]).map((each) => this.decode(each));
      return is.array(items, this.types.find(`${of}[]`) ?? is.objectArray);
    }
    if (node["table"] !== undefined) {
      const table = new Hashtable(is.hashtable);
      for (const [key = null, value = null] of node["table"] as Json[][]) {
        table.set(this.decode(key), this.decode(value));
      }
      return table;
    }
    if (node["properties"] !== undefined) {
      const type = this.types.find(of);
      const made = new CustomObject(type && !/PSCustomObject$/.test(of) ? type : is.customObject);
      made.typeNames = [of];
      for (const [name, value = null] of node["properties"] as Json[][]) {
        made.set(name as string, this.decode(value));
      }
      return made;
    }
    return (node["text"] ?? null) as Value;
  }

  /** An error as .NET's exception, without what the interpreter wraps around it: a real PowerShell does that itself. */
  error({ exception, id }: Raised): Json {
    const isWrapped = /\.(Method|GetValue)InvocationException$/.test(exception.type.name);
    const inner = isWrapped ? (exception.inner ?? exception) : exception;
    return { ...exceptionJson(inner), id: id ?? inner.type.shortName };
  }
}

function exceptionJson({ type, message, inner, hresult }: NetException): { [name: string]: Json } {
  return { type: type.name, message, hresult, inner: inner && exceptionJson(inner) };
}
