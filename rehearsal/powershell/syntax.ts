/** The syntax trees that the parser makes and the interpreter walks. */
import { createHash } from "node:crypto";

export interface SourceFile {
  /** Full path, or a name in angle brackets for text from elsewhere. */
  readonly path: string;
  readonly text: string;
}

/** The position of a node: the offsets of its first character and after its last one. */
export interface Position {
  /** The file's number in `sourceFiles`, which keeps trees small as JSON. */
  readonly file: number;
  readonly start: number;
  readonly end: number;
}

/** Source files by number. Files with the same text share a number, which belongs to the one read last. */
export const sourceFiles = new Map<number, SourceFile>([[0, { path: "<command line>", text: "" }]]);

/** The first 30 bits of the text's hash: the same in every process, and small, as larger integers slow V8 down. */
export function fileNumber(file: SourceFile): number {
  const number = createHash("sha256").update(file.text).digest().readUInt32BE() >>> 2;
  sourceFiles.set(number, file);
  return number;
}

export function fileOf({ file }: Position): SourceFile {
  return sourceFiles.get(file) ?? { path: "<unknown>", text: "" };
}

export function lineOf(position: Position): number {
  return fileOf(position).text.slice(0, position.start).split("\n").length;
}

export function placeOf(position: Position): string {
  return `${fileOf(position).path}:${String(lineOf(position))}`;
}

type Node<Kind extends string, Fields> = Readonly<Fields & { kind: Kind; position: Position }>;

/** A type as written between brackets, e.g. `string[]` or `System.IO.File`. `ranks` is the number of trailing `[]`. */
export type TypeName = Node<"TypeName", { name: string; ranks: number }>;

/** A `number` is an Int32. An Int64 is kept as text, because JSON has none. */
export type ConstantValue =
  string | number | { readonly int64: string } | { readonly double: number };

/** `written` is the source text of a number used as an argument, where `010` can also mean the text "010". */
export type Constant = Node<"Constant", { value: ConstantValue; written?: string }>;

/** A double-quoted string, or a bare word, that contains variables or subexpressions. */
export type ExpandableString = Node<
  "ExpandableString",
  { parts: readonly (string | Expression)[] }
>;

/** `scope` is in lower case: `env`, `script`, `global`, `local`, `function`. `splatted`: `@name` in place of `$name`. */
export type Variable = Node<"Variable", { scope?: string; name: string; splatted: boolean }>;

/** `isStatic` is true for `::`. */
interface Access {
  object: Expression;
  name: string;
  isStatic: boolean;
}
export type Member = Node<"Member", Access>;
export type MethodCall = Node<"MethodCall", Access & { args: readonly Expression[] }>;

/** `operator` is in lower case, as written: `-not`, `!`, `-`, `+`, `,`, `-join`, `-split`, `++`, `--`. */
export type Unary = Node<"Unary", { operator: string; operand: Expression; postfix: boolean }>;

/** `operator` is in lower case: `+`, `-eq`, `-cmatch`, `-f`, `-and`, ... A leading `i` is left out: `-ieq` is `-eq`. */
export type Binary = Node<"Binary", { operator: string; left: Expression; right: Expression }>;

export type Cast = Node<"Cast", { type: TypeName; operand: Expression }>;

/** `@{ }`. `[ordered]` before one is a Cast. */
export type HashtableLiteral = Node<
  "HashtableLiteral",
  { pairs: readonly { readonly key: Expression; readonly value: Statement }[] }
>;

/** `1, 2, 3`. A comma before one value is a Unary. */
type ArrayLiteral = Node<"ArrayLiteral", { items: readonly Expression[] }>;
/** `@( )` and `$( )`. */
type StatementsExpression = Node<"ArrayExpression" | "SubExpression", { body: Block }>;
/** `( )`. */
type Parenthesis = Node<"Parenthesis", { statement: SimpleStatement }>;
type TypeLiteral = Node<"TypeLiteral", { type: TypeName }>;
export type Index = Node<"Index", { object: Expression; index: Expression }>;
type ScriptBlockLiteral = Node<"ScriptBlockLiteral", { block: ScriptBody }>;

type Literal = Constant | ExpandableString | TypeLiteral | HashtableLiteral | ScriptBlockLiteral;
type Operation = Unary | Binary | Cast | ArrayLiteral | Member | MethodCall | Index;
export type Expression = Literal | Variable | Operation | Parenthesis | StatementsExpression;

/** `-Name value`, `-Name:value` or `-Name`. The value of the first form is the next argument of the command. */
export type CommandParameter = Node<"CommandParameter", { name: string; value?: Expression }>;

/** `2>$null`; without a target `2>&1`. */
type Redirection = Node<"Redirection", { target?: Expression }>;

/** Without an invocation operator, `name` is a Constant with the name as written. */
export type Command = Node<
  "Command",
  {
    invocation: "" | "&" | ".";
    name: Expression;
    elements: readonly (Expression | CommandParameter)[];
    redirections: readonly Redirection[];
  }
>;

/** An expression at the beginning of a pipeline. */
export type ExpressionElement = Node<"ExpressionElement", { expression: Expression }>;

export type Pipeline = Node<"Pipeline", { elements: readonly (Command | ExpressionElement)[] }>;

/** `operator` is `=`, `+=`, `-=`, `*=`, `/=` or `%=`. The target of several variables is an ArrayLiteral. */
export type Assignment = Node<
  "Assignment",
  { target: Expression; operator: string; value: Statement }
>;

type SimpleStatement = Pipeline | Assignment;
type Block = readonly Statement[];

interface Clause {
  readonly condition: SimpleStatement;
  readonly body: Block;
}
export type If = Node<"If", { clauses: readonly Clause[]; otherwise?: Block }>;

/** `while`, and `do` with `while`. */
export type Loop = Node<"While" | "DoLoop", Clause>;

export type For = Node<
  "For",
  {
    initializer?: SimpleStatement;
    condition?: SimpleStatement;
    iterator?: SimpleStatement;
    body: Block;
  }
>;

export type ForEach = Node<
  "ForEach",
  { variable: Variable; collection: SimpleStatement; body: Block }
>;

/** A catch without types catches everything. */
interface Catch {
  readonly types: readonly TypeName[];
  readonly body: Block;
}
export type Try = Node<"Try", { body: Block; catches: readonly Catch[]; final?: Block }>;

type FlowKind = "Throw" | "Return" | "Exit" | "Break" | "Continue";
export type Flow = Node<FlowKind, { value?: SimpleStatement }>;

export type FunctionDefinition = Node<"FunctionDefinition", { name: string; body: ScriptBody }>;

export type Statement =
  SimpleStatement | If | Loop | For | ForEach | Try | Flow | FunctionDefinition;

/** `[Name(arg, Key = value)]`; `[Name()]` has neither, `Key` alone means `Key = $true`. */
export type Attribute = Node<
  "Attribute",
  {
    name: string;
    args: readonly Expression[];
    named: readonly { readonly name: string; readonly value?: Expression }[];
  }
>;

export type Parameter = Node<
  "Parameter",
  {
    name: string;
    type?: TypeName;
    attributes: readonly Attribute[];
    defaultValue?: Expression;
  }
>;

/** A script, a function's body or a block. */
export type ScriptBody = Node<
  "ScriptBody",
  {
    /** Of the param block: CmdletBinding, OutputType. */
    attributes: readonly Attribute[];
    /** Undefined if there is no param block. */
    parameters?: readonly Parameter[];
    statements: Block;
    /** The statements are in a `process` block, so they run once for each value from the pipeline. */
    forEachInput: boolean;
  }
>;

type CommandPart = Command | ExpressionElement | CommandParameter | Redirection;
export type AnyNode =
  Expression | Statement | ScriptBody | Attribute | Parameter | TypeName | CommandPart;
