/** Members of arrays and tables. */
import { toText } from "../convert.ts";
import { equals } from "../operators.ts";
import * as is from "../types.ts";
import { raised, types } from "../types.ts";
import {
  dictionaryType,
  Hashtable,
  NetObject,
  type NetType,
  type PsArray,
  type Value,
} from "../values.ts";

for (const name of ["IEnumerable", "ICollection", "IList", "IDictionary"]) {
  types.define({ name: `System.Collections.${name}` });
}

/** A type whose objects hold values to go through, and know how many. */
function defineList(name: string, ...interfaces: string[]): NetType {
  return types.define({
    name,
    interfaces,
    enumerate: (self: NetObject<readonly Value[]>) => self.state,
    properties: { Count: (self: NetObject<readonly Value[]>) => self.state.length },
  });
}

const enumerator = types.define({
  name: "System.Collections.IEnumerator",
  enumerate: (self: NetObject<readonly Value[]>) => self.state,
  unsupported: ["Current"],
});
const keyCollection = defineList(
  "System.Collections.Hashtable+KeyCollection",
  "System.Collections.ICollection",
);

export function enumeration(items: readonly Value[]): NetObject {
  return new NetObject(enumerator, items);
}

const indexOf = ({ items }: PsArray, value: Value) =>
  items.findIndex((item) => equals(item, value, false));

types.extend("System.Array", {
  properties: {
    Length: (self: PsArray) => self.items.length,
    Count: (self: PsArray) => self.items.length,
    Rank: () => 1,
  },
  methods: {
    "GetEnumerator()": (self: PsArray) => enumeration(self.items),
    "Contains(object)": (self: PsArray, value: Value) => indexOf(self, value) >= 0,
    "IndexOf(object)": indexOf,
    "Clone()": (self: PsArray) => is.array([...self.items], self.type),
    "CopyTo(array, int)": (self: PsArray, target: PsArray, start: number) => {
      target.items.splice(start, self.items.length, ...self.items);
    },
  },
  staticMethods: {
    "IndexOf(array, object)": (_: null, array: PsArray, value: Value) => indexOf(array, value),
    "Reverse(array)": (_: null, array: PsArray) => {
      array.items.reverse();
    },
  },
  unsupported: ["LongLength", "SyncRoot", "IsFixedSize", "IsReadOnly", "IsSynchronized"],
});

type Entry = NetObject<{ readonly key: Value; readonly value: Value }>;
const entryType = types.define({
  name: "System.Collections.DictionaryEntry",
  isValueType: true,
  properties: {
    Name: (self: Entry) => self.state.key,
    Key: (self: Entry) => self.state.key,
    Value: (self: Entry) => self.state.value,
  },
});

for (const type of [is.hashtable, is.orderedDictionary, dictionaryType]) {
  const list = (pick: (entry: { key: Value; value: Value }) => Value) => (self: Hashtable) =>
    new NetObject(keyCollection, self.entries().map(pick));
  types.extend(type, {
    properties: {
      Count: (self: Hashtable) => self.size,
      Keys: list((entry) => entry.key),
      Values: list((entry) => entry.value),
    },
    methods: {
      "ToString()": () => type.name,
      "GetType()": () => type,
      "Contains(object)": (self: Hashtable, key: Value) => self.has(key),
      "Add(object, object)": (self: Hashtable, key: Value, value: Value) => {
        if (self.has(key)) {
          throw raised(
            "System.ArgumentException",
            `Item has already been added. Key in dictionary: '${toText(key)}'`,
          );
        }
        self.set(key, value);
      },
      "Remove(object)": (self: Hashtable, key: Value) => {
        self.delete(key);
      },
      "Clear()": (self: Hashtable) => {
        self.clear();
      },
      "GetEnumerator()": (self: Hashtable) =>
        enumeration(self.entries().map((entry) => new NetObject(entryType, entry))),
    },
    unsupported: ["IsFixedSize", "IsReadOnly", "SyncRoot", "IsSynchronized"],
  });
}
types.extend(is.hashtable, {
  methods: {
    "ContainsKey(object)": (self: Hashtable, key: Value) => self.has(key),
    "Clone()": (self: Hashtable) => {
      const copy = new Hashtable(is.hashtable);
      for (const { key, value } of self.entries()) {
        copy.set(key, value);
      }
      return copy;
    },
  },
  constructors: { "()": () => new Hashtable(is.hashtable) },
});
