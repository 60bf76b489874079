/** Out-String, which shows the objects that a log gets. */
import type { Cmdlet } from "../../../powershell/commands.ts";
import { enumerated, isNumeric, toText } from "../../../powershell/convert.ts";
import * as is from "../../../powershell/types.ts";
import { CustomObject, Hashtable, Unsupported, type Value } from "../../../powershell/values.ts";

/** A table's entries are shown with a wide column of names. */
function entriesOf(table: Hashtable): CustomObject[] {
  return table.entries().map(({ key, value }) => named(toText(key).padEnd(30)).set("Value", value));
}

function named(name: string): CustomObject {
  return new CustomObject(is.customObject).set("Name", name);
}

/** Objects in lines: up to four properties as a table, more as a list. */
function laidOut(objects: readonly CustomObject[]): string[] {
  const names = [...(objects[0]?.properties.values() ?? [])].map(({ name }) => name);
  const cell = (object: CustomObject, name: string) => {
    const value = object.get(name) ?? null;
    const items = enumerated(value);
    const text = items ? `{${items.map(toText).join(", ")}}` : toText(value);
    return text.replace(/\r?\n[^]*$/, "\u2026");
  };
  if (names.length > 4) {
    const width = Math.max(...names.map((name) => name.length));
    const line = (object: CustomObject, name: string) =>
      `${name.padEnd(width)} : ${cell(object, name)}`.trimEnd();
    return objects.flatMap((object) => ["", ...names.map((name) => line(object, name)), ""]);
  }
  const columns = names.map((name) => {
    const texts = [name, "-".repeat(name.length), ...objects.map((object) => cell(object, name))];
    const width = Math.max(...texts.map((text) => text.length));
    const values = objects.map((object) => object.get(name) ?? null);
    const isRight = values.every((value) => isNumeric(value) || typeof value === "boolean");
    return texts.map((text) => (isRight ? text.padStart(width) : text.padEnd(width)));
  });
  const rows = (columns[0] ?? []).map((_, row) => columns.map((column) => column[row]).join(" "));
  return ["", ...rows.map((row) => row.trimEnd()), ""];
}

export const outString: Cmdlet = {
  name: "Out-String",
  parameters: { InputObject: { type: "object", pipeline: "value" }, Width: { type: "int" } },
  open(call) {
    const items: Value[] = [];
    return {
      process() {
        items.push(call.get("InputObject") ?? null);
      },
      async end() {
        const objects = items
          .flatMap((item) => (item instanceof Hashtable ? entriesOf(item) : [item]))
          .filter((item) => item instanceof CustomObject);
        if (objects.length > 0 && items.some((item) => typeof item !== "object")) {
          throw new Unsupported("Out-String of objects and texts together");
        }
        const end = call.shell.host.files.separator === "\\" ? "\r\n" : "\n";
        const lines = objects.length > 0 ? laidOut(objects) : items.map(toText);
        await call.emit(lines.map((line) => line + end).join(""));
      },
    };
  },
};
