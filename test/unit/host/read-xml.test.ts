import assert from "node:assert/strict";
import { below, readXml } from "../../../host/read-xml.ts";

describe("what libvirt describes", () => {
  const text = `<pool type='dir'>
  <name>a&amp;b &#x41;</name>
</pool>

<!-- another -->
<pool type="rbd"/>
`;

  it("is read with either quotes, references and several documents behind each other", () => {
    const pools = below(readXml(text), "pool");
    assert.deepEqual(
      pools.map((pool) => [pool.attributes["type"], below(pool, "name")[0]?.text]),
      [
        ["dir", "a&b A"],
        ["rbd", undefined],
      ],
    );
  });

  it("is nothing where it describes nothing", () => assert.deepEqual(readXml("").elements, []));
});
