/** Members of arrays and tables. */
import { equals } from "../operators.ts";
import * as is from "../types.ts";
import { raised, types } from "../types.ts";
import { dictionaryType, Hashtable, NetObject, type PsArray, type Value } from "../values.ts";

for (const name of ["IEnumerable", "ICollection", "IList", "IDictionary"]) {
  types.define({ name: `System.Collections.${name}` });
}

/** What GetEnumerator gives: all of it to a loop or pipeline, or one by one by MoveNext. */
interface Enumeration {
  readonly items: readonly Value[];
  at: number;
}
const enumerator = types.define({
  name: "System.Collections.IEnumerator",
  enumerate: (self: NetObject<Enumeration>) => self.state.items,
  properties: {
    Current: (self: NetObject<Enumeration>) => self.state.items[self.state.at] ?? null,
  },
  methods: {
    "MoveNext()": ({ state }: NetObject<Enumeration>) => {
      state.at += 1;
      return state.at < state.items.length;
    },
    "Reset()": ({ state }: NetObject<Enumeration>) => {
      state.at = -1;
    },
  },
});

export function enumeration(items: readonly Value[]): NetObject<Enumeration> {
  return new NetObject(enumerator, { items, at: -1 });
}

const found = (items: readonly Value[], value: Value) =>
  items.findIndex((item) => equals(item, value, false));

types.extend("System.Array", {
  properties: {
    Length: (self: PsArray) => self.items.length,
    LongLength: (self: PsArray) => BigInt(self.items.length),
    Count: (self: PsArray) => self.items.length,
    Rank: () => 1,
    IsFixedSize: () => true,
    IsReadOnly: () => false,
  },
  methods: {
    "GetEnumerator()": (self: PsArray) => enumeration(self.items),
    "GetLength(int)": (self: PsArray) => self.items.length,
    "GetValue(int)": (self: PsArray, index: number) => self.items[index] ?? null,
    "Contains(object)": (self: PsArray, value: Value) => found(self.items, value) >= 0,
    "IndexOf(object)": (self: PsArray, value: Value) => found(self.items, value),
    "Clone()": (self: PsArray) => is.array([...self.items], self.type),
    "CopyTo(array, int)": (self: PsArray, target: PsArray, start: number) => {
      target.items.splice(start, self.items.length, ...self.items);
    },
  },
  staticMethods: {
    "IndexOf(array, object)": (_: null, array: PsArray, value: Value) => found(array.items, value),
    "Reverse(array)": (_: null, array: PsArray) => {
      array.items.reverse();
    },
  },
  unsupported: [
    "SetValue",
    "GetUpperBound",
    "GetLowerBound",
    "SyncRoot",
    "Add",
    "Remove",
    "Insert",
    "Clear",
    "Where",
    "ForEach",
  ],
});

const entryType = types.define({
  name: "System.Collections.DictionaryEntry",
  isValueType: true,
  properties: {
    Name: (self: NetObject<Entry>) => self.state.key,
    Key: (self: NetObject<Entry>) => self.state.key,
    Value: (self: NetObject<Entry>) => self.state.value,
  },
});
interface Entry {
  readonly key: Value;
  readonly value: Value;
}

const keyCollection = types.define({
  name: "System.Collections.Hashtable+KeyCollection",
  interfaces: ["System.Collections.ICollection", "System.Collections.IEnumerable"],
  enumerate: (self: NetObject<Value[]>) => self.state,
  properties: { Count: (self: NetObject<Value[]>) => self.state.length },
  methods: { "GetEnumerator()": (self: NetObject<Value[]>) => enumeration(self.state) },
  unsupported: ["CopyTo", "SyncRoot", "IsSynchronized"],
});

for (const type of [is.hashtable, is.orderedDictionary, dictionaryType]) {
  types.extend(type, {
    properties: {
      Count: (self: Hashtable) => self.size,
      Keys: (self: Hashtable) =>
        new NetObject(
          keyCollection,
          self.entries().map((each) => each.key),
        ),
      Values: (self: Hashtable) =>
        new NetObject(
          keyCollection,
          self.entries().map((each) => each.value),
        ),
      IsReadOnly: () => false,
      IsFixedSize: () => false,
    },
    methods: {
      "ToString()": () => type.name,
      "GetType()": () => type,
      "Contains(object)": (self: Hashtable, key: Value) => self.has(key),
      "get_Item(object)": (self: Hashtable, key: Value) => self.get(key) ?? null,
      "set_Item(object, object)": (self: Hashtable, key: Value, value: Value) => {
        self.set(key, value);
      },
      "Add(object, object)": (self: Hashtable, key: Value, value: Value) => {
        if (self.has(key)) {
          throw raised(
            "System.ArgumentException",
            "Item has already been added. Key in dictionary: " +
              `'${String(key)}'  Key being added: '${String(key)}'`,
            { hresult: -2147024809 },
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
    unsupported: ["SyncRoot", "IsSynchronized", "CopyTo", "Insert", "RemoveAt", "AsReadOnly"],
  });
}
types.extend(is.hashtable, {
  methods: {
    "ContainsKey(object)": (self: Hashtable, key: Value) => self.has(key),
    "ContainsValue(object)": (self: Hashtable, value: Value) =>
      self.entries().some((each) => equals(each.value, value, false)),
    "Clone()": (self: Hashtable) => copied(self),
  },
  constructors: { "()": () => newTable() },
});

function newTable(): Hashtable {
  return new Hashtable(is.hashtable);
}

function copied(table: Hashtable): Hashtable {
  const copy = newTable();
  for (const { key, value } of table.entries()) {
    copy.set(key, value);
  }
  return copy;
}
