/** Members of arrays and tables. */
import * as is from "../types.ts";
import { types } from "../types.ts";
import {
  dictionaryType,
  NetObject,
  type Hashtable,
  type NetType,
  type PsArray,
  type Value,
} from "../values.ts";

types.extend("System.Array", {
  properties: {
    Length: (self: PsArray) => self.items.length,
    Count: (self: PsArray) => self.items.length,
  },
});

type List = NetObject<readonly Value[]>;
const enumerator = types.define({
  name: "System.Collections.IEnumerator",
  enumerate: (self: List) => self.state,
});
const keyCollection = types.define({
  name: "System.Collections.Hashtable+KeyCollection",
  enumerate: (self: List) => self.state,
  properties: { Count: (self: List) => self.state.length },
});

type Entry = NetObject<{ readonly key: Value; readonly value: Value }>;
const entryType = types.define({
  name: "System.Collections.DictionaryEntry",
  properties: {
    Key: (self: Entry) => self.state.key,
    Value: (self: Entry) => self.state.value,
  },
});

function listOf(self: Hashtable, type: NetType, pick: (entry: Entry["state"]) => Value): List {
  return new NetObject(type, self.entries().map(pick));
}

for (const type of [is.hashtable, is.orderedDictionary, dictionaryType]) {
  types.extend(type, {
    properties: {
      Count: (self: Hashtable) => self.size,
      Keys: (self: Hashtable) => listOf(self, keyCollection, (entry) => entry.key),
      Values: (self: Hashtable) => listOf(self, keyCollection, (entry) => entry.value),
    },
    methods: {
      "Contains(object)": (self: Hashtable, key: Value) => self.has(key),
      "GetEnumerator()": (self: Hashtable) =>
        listOf(self, enumerator, (entry) => new NetObject(entryType, entry)),
    },
  });
}
types.extend(is.hashtable, {
  methods: { "ContainsKey(object)": (self: Hashtable, key: Value) => self.has(key) },
});
