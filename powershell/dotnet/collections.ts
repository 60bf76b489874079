/** Members of arrays and tables. */
import * as is from "../types.ts";
import { types } from "../types.ts";
import { dictionaryType, NetObject, type Hashtable, type PsArray, type Value } from "../values.ts";

types.extend("System.Array", {
  properties: {
    Length: (self: PsArray) => self.items.length,
    Count: (self: PsArray) => self.items.length,
  },
});

type List = NetObject<readonly Value[]>;
const keyCollection = types.define({
  name: "System.Collections.Hashtable+KeyCollection",
  enumerate: (self: List) => self.state,
  properties: { Count: (self: List) => self.state.length },
});

const listOf = (items: readonly Value[]): List => new NetObject(keyCollection, items);

for (const type of [is.hashtable, is.orderedDictionary, dictionaryType]) {
  types.extend(type, {
    properties: {
      Count: (self: Hashtable) => self.size,
      Keys: (self: Hashtable) => listOf(self.entries().map(({ key }) => key)),
      Values: (self: Hashtable) => listOf(self.entries().map(({ value }) => value)),
    },
    methods: { "Contains(object)": (self: Hashtable, key: Value) => self.has(key) },
  });
}
types.extend(is.hashtable, {
  methods: { "ContainsKey(object)": (self: Hashtable, key: Value) => self.has(key) },
});
