import assert from "node:assert/strict";
import { bindParameters } from "../../../rehearsal/host/powershell/bind.ts";
import { BindingError } from "../../../rehearsal/host/powershell/binding-error.ts";
import { readParamBlock } from "../../../rehearsal/host/powershell/param-block.ts";

const block = readParamBlock(`
[CmdletBinding()]
param(
  [Parameter(Mandatory = $true)] [ValidatePattern('^[a-z]+$')] [string] $Name,
  [ValidateRange(1, 10)] [int] $Count = 3,
  [ValidateSet('Red', 'Green')] [string] $Colour = 'Red',
  [ValidateLength(2, 4)] [string] $Code = 'none at all',
  [ValidateNotNullOrEmpty()] [string] $Full = 'x',
  [AllowEmptyString()] [string] $Labels = '',
  [switch] $Force,
  [bool] $Flag,
  [string[]] $Items,
  [long] $Big,
  [Alias('Short')] [string] $Namespace = "$env:X"
)`);

const bound: readonly (readonly [
  argv: readonly string[],
  expected: Readonly<Record<string, unknown>>,
])[] = [
  [["-Name", "abc"], { Name: "abc", Count: 3, Colour: "Red", Force: false, Big: 0, Labels: "" }],
  [["-NAME", "abc", "-count", "7"], { Name: "abc", Count: 7 }],
  [["-Name:abc", "-Cou:7"], { Name: "abc", Count: 7 }],
  [["-Name:", "abc"], { Name: "abc" }],
  [["abc", "4"], { Name: "abc", Count: 4 }],
  [["-Count", "4", "abc", "green"], { Name: "abc", Count: 4, Colour: "green" }],
  [["-Name", "abc", "-Force"], { Force: true }],
  [["-Name", "abc", "-Force:$false"], { Force: false }],
  [["-Name", "abc", "-Flag:$true"], { Flag: true }],
  [["-Name", "abc", "-Items", "a,b"], { Items: ["a,b"] }],
  [["-Name", "abc", "-Short", "ns"], { Namespace: "ns" }],
  [["-Name", "abc", "-Labels", ""], { Labels: "" }],
  [["-Name", "abc", "-Count", "0x0A"], { Count: 10 }],
  [["-Name", "abc", "-Count", "2.5"], { Count: 2 }],
  [["-Name", "abc", "-Count", "3.5"], { Count: 4 }],
  [["-Name", "abc", "-Big", "4294967296"], { Big: 2 ** 32 }],
  [["-Name", "abc", "-Verbose", "-ErrorAction", "Stop"], { Name: "abc" }],
  [["-Name", "ABC"], { Name: "ABC" }], // patterns have no case
];

const refused: readonly (readonly [argv: readonly string[], id: string, message: RegExp])[] = [
  [[], "MissingMandatoryParameter", /missing mandatory parameters: Name\.$/],
  [["-Count", "3"], "MissingMandatoryParameter", /: Name\.$/],
  [["-Nam", "abc"], "AmbiguousParameter", /Possible matches include: -Name -Namespace/],
  [["-Nope", "1"], "NamedParameterNotFound", /matches parameter name 'Nope'/],
  [["--Name", "abc"], "NamedParameterNotFound", /'-Name'/],
  [["-", "abc"], "AmbiguousParameter", /ambiguous/],
  [["-Name", "abc", "-Name", "def"], "ParameterAlreadyBound", /'Name' is specified more than once/],
  [["-Name"], "MissingArgument", /Specify a parameter of type 'System\.String'/],
  [["-Name", "-Count", "3"], "MissingArgument", /for parameter 'Name'/],
  [["-Name", "abc", "-Count", "-5"], "MissingArgument", /for parameter 'Count'/],
  [["-Name", ""], "ParameterArgumentValidationErrorEmptyStringNotAllowed", /it is an empty string/],
  [
    ["-Name", "a1"],
    "ParameterArgumentValidationError",
    /"a1" does not match the "\^\[a-z\]\+\$" pattern/,
  ],
  [
    ["-Name", "abc", "-Count", "x"],
    "ParameterArgumentTransformationError",
    /"x" to type "System\.Int32"/,
  ],
  [["-Name", "abc", "-Count", "1e3"], "ParameterArgumentTransformationError", /correct format/],
  [["-Name", "abc", "-Count", "9999999999"], "ParameterArgumentTransformationError", /too large/],
  [
    ["-Name", "abc", "-Count", "0"],
    "ParameterArgumentValidationError",
    /less than the minimum allowed range of 1/,
  ],
  [
    ["-Name", "abc", "-Count", "11"],
    "ParameterArgumentValidationError",
    /greater than the maximum allowed range of 10/,
  ],
  [["-Name", "abc", "-Count:-5"], "ParameterArgumentValidationError", /The -5 argument is less/],
  [["-Name", "abc", "-Count", ""], "ParameterArgumentValidationError", /The 0 argument is less/],
  [
    ["-Name", "abc", "-Colour", "blue"],
    "ParameterArgumentValidationError",
    /to the set "Red,Green"/,
  ],
  [
    ["-Name", "abc", "-Code", "x"],
    "ParameterArgumentValidationError",
    /length \(1\) of the argument is too short/,
  ],
  [["-Name", "abc", "-Code", "xxxxx"], "ParameterArgumentValidationError", /too long/],
  [["-Name", "abc", "-Full", ""], "ParameterArgumentValidationError", /null or empty/],
  [["-Name", "abc", "-Force:yes"], "ParameterArgumentTransformationError", /SwitchParameter/],
  [["-Name", "abc", "-Flag", "true"], "ParameterArgumentTransformationError", /Boolean/],
  [
    ["abc", "1", "Red", "ab", "x", "", "i", "j", "k", "l", "m"],
    "ParameterArgumentTransformationError",
    /Flag/,
  ],
];

describe("PowerShell's parameter binding", () => {
  for (const [argv, expected] of bound) {
    it(`binds ${argv.join(" ")}`, () => {
      const values = bindParameters(block, argv);
      for (const [name, value] of Object.entries(expected)) {
        assert.deepEqual(values.get(name), value, name);
      }
    });
  }

  for (const [argv, id, message] of refused) {
    it(`refuses ${JSON.stringify(argv)}`, () => {
      assert.throws(
        () => bindParameters(block, argv),
        (error) => {
          assert(error instanceof BindingError);
          assert.equal(error.id, id);
          assert.match(error.message, message);
          return true;
        },
      );
    });
  }

  it("leaves out a parameter whose default is an expression", () => {
    assert.equal(bindParameters(block, ["-Name", "abc"]).has("Namespace"), false);
  });

  it("does not validate defaults, as PowerShell does not", () => {
    assert.equal(bindParameters(block, ["-Name", "abc"]).get("Code"), "none at all");
  });

  it("refuses a positional argument too many in an advanced script only", () => {
    const advanced = readParamBlock("[CmdletBinding()] param($A)");
    assert.throws(
      () => bindParameters(advanced, ["1", "2"]),
      (error) => error instanceof BindingError && error.id === "PositionalParameterNotFound",
    );
    const simple = readParamBlock("param($A)");
    assert.deepEqual([...bindParameters(simple, ["1", "2"])], [["A", "1"]]);
  });

  it("binds nothing by position where the script says so", () => {
    const named = readParamBlock("[CmdletBinding(PositionalBinding = $false)] param($A)");
    assert.throws(() => bindParameters(named, ["1"]), /accepts argument '1'/);
  });

  it("binds by the declared positions where there are any", () => {
    const ordered = readParamBlock(
      "param([Parameter(Position = 1)] $B, [Parameter(Position = 0)] $A, $C)",
    );
    assert.deepEqual(Object.fromEntries(bindParameters(ordered, ["x", "y"])), {
      A: "x",
      B: "y",
      C: "",
    });
  });
});
