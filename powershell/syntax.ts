/** The syntax trees of scripts: what the parser makes and the evaluator walks. */
import { createHash } from "node:crypto";

/** A script's text, and where it came from. */
export interface SourceFile {
  /** Full path, or a name in angle brackets for text that is no file. */
  readonly path: string;
  readonly text: string;
}

/** Where a node stands: offsets of the first character and behind the last one. */
export interface Position {
  /** A number in place of the file keeps trees small as JSON. */
  readonly file: number;
  readonly start: number;
  readonly end: number;
}

/** By the numbers in positions. A text that lies in several places is in the one where it was read last. */
export const sourceFiles = new Map<number, SourceFile>([[0, { path: "<command line>", text: "" }]]);

/** The first bits of the text's hash, which is the same in each process; more would be slower in V8. */
export function fileNumber(file: SourceFile): number {
  const number = createHash("sha256").update(file.text).digest().readUInt32BE() >>> 2;
  sourceFiles.set(number, file);
  return number;
}

export function fileOf({ file }: Position): SourceFile {
  return sourceFiles.get(file) ?? { path: "<unknown>", text: "" };
}

/** Counted from 1. */
export function lineOf(position: Position): number {
  return fileOf(position).text.slice(0, position.start).split("\n").length;
}

export function placeOf(position: Position): string {
  return `${fileOf(position).path}:${String(lineOf(position))}`;
}

interface Node<Kind extends string> {
  readonly kind: Kind;
  readonly position: Position;
}

/** A type as it is written between brackets, e.g. `string[]` or `System.IO.File`. */
export interface TypeName extends Node<"TypeName"> {
  /** Without brackets of arrays. */
  readonly name: string;
  /** Number of `[]` behind the name. */
  readonly ranks: number;
}

/** `number` is an Int32. An Int64 is kept as text, as JSON has none. */
export type ConstantValue =
  string | number | { readonly int64: string } | { readonly double: number };

export interface Constant extends Node<"Constant"> {
  readonly value: ConstantValue;
  /** How a number is written as an argument: there, `010` is also the text "010". */
  readonly written?: string;
}

/** A text in double quotes, or a bare word with variables in it. */
export interface ExpandableString extends Node<"ExpandableString"> {
  readonly parts: readonly (string | Expression)[];
}

export interface Variable extends Node<"Variable"> {
  /** What stands before the colon, in lower case: `env`, `script`, `global`, `local`, `function`. */
  readonly scope?: string;
  readonly name: string;
  /** `@name` in place of `$name`. */
  readonly splatted: boolean;
}

export interface Member extends Node<"Member"> {
  readonly object: Expression;
  readonly name: string;
  /** `::` in place of `.`. */
  readonly isStatic: boolean;
}

export interface MethodCall extends Node<"MethodCall"> {
  readonly object: Expression;
  readonly name: string;
  readonly isStatic: boolean;
  readonly args: readonly Expression[];
}

/** `operator` is in lower case, as written: `-not`, `!`, `-`, `+`, `,`, `-join`, `-split`, `++`, `--`. */
export interface Unary extends Node<"Unary"> {
  readonly operator: string;
  readonly operand: Expression;
  readonly postfix: boolean;
}

/** `operator` is in lower case: `+`, `-eq`, `-cmatch`, `-f`, `-and`, ... A leading `i` is left out: `-ieq` is `-eq`. */
export interface Binary extends Node<"Binary"> {
  readonly operator: string;
  readonly left: Expression;
  readonly right: Expression;
}

export interface Cast extends Node<"Cast"> {
  readonly type: TypeName;
  readonly operand: Expression;
}

/** `@{ }`. `[ordered]` before one is a Cast. */
export interface HashtableLiteral extends Node<"HashtableLiteral"> {
  readonly pairs: readonly { readonly key: Expression; readonly value: Statement }[];
}

/** `1, 2, 3`. A comma before one value is a Unary. */
type ArrayLiteral = Node<"ArrayLiteral"> & { readonly items: readonly Expression[] };
/** `@( )` and `$( )`. */
type StatementsExpression = Node<"ArrayExpression" | "SubExpression"> & { readonly body: Block };
/** `( )`. */
type Parenthesis = Node<"Parenthesis"> & { readonly statement: SimpleStatement };
type TypeLiteral = Node<"TypeLiteral"> & { readonly type: TypeName };
export type Index = Node<"Index"> & { readonly object: Expression; readonly index: Expression };
type ScriptBlockLiteral = Node<"ScriptBlockLiteral"> & { readonly block: ScriptBody };

type Literal = Constant | ExpandableString | TypeLiteral | HashtableLiteral | ScriptBlockLiteral;
type Operation = Unary | Binary | Cast | ArrayLiteral | Member | MethodCall | Index;
export type Expression = Literal | Variable | Operation | Parenthesis | StatementsExpression;

/** `-Name value`, `-Name:value` or `-Name`. The value of the first form is the next argument of the command. */
export interface CommandParameter extends Node<"CommandParameter"> {
  readonly name: string;
  /** Only what stands behind a colon. */
  readonly value?: Expression;
}

export interface Command extends Node<"Command"> {
  readonly invocation: "" | "&" | ".";
  /** A Constant with the name as it is written, unless there is an invocation operator. */
  readonly name: Expression;
  readonly elements: readonly (Expression | CommandParameter)[];
}

/** An expression at the beginning of a pipeline. */
export interface ExpressionElement extends Node<"ExpressionElement"> {
  readonly expression: Expression;
}

export interface Pipeline extends Node<"Pipeline"> {
  readonly elements: readonly (Command | ExpressionElement)[];
}

/** `operator` is `=`, `+=`, `-=`, `*=`, `/=` or `%=`. The target of several variables is an ArrayLiteral. */
export interface Assignment extends Node<"Assignment"> {
  readonly target: Expression;
  readonly operator: string;
  readonly value: Statement;
}

/** What may stand in parentheses. */
type SimpleStatement = Pipeline | Assignment;
type Block = readonly Statement[];

export interface If extends Node<"If"> {
  readonly clauses: readonly { readonly condition: SimpleStatement; readonly body: Block }[];
  readonly otherwise?: Block;
}

/** `while`, and `do` with `while` or `until`. */
export interface Loop extends Node<"While" | "DoLoop"> {
  readonly condition: SimpleStatement;
  readonly body: Block;
  readonly until: boolean;
}

export interface For extends Node<"For"> {
  readonly initializer?: SimpleStatement;
  readonly condition?: SimpleStatement;
  readonly iterator?: SimpleStatement;
  readonly body: Block;
}

export interface ForEach extends Node<"ForEach"> {
  readonly variable: Variable;
  readonly collection: SimpleStatement;
  readonly body: Block;
}

export interface Try extends Node<"Try"> {
  readonly body: Block;
  /** Without types: takes everything. */
  readonly catches: readonly { readonly types: readonly TypeName[]; readonly body: Block }[];
  readonly final?: Block;
}

export interface Flow extends Node<"Throw" | "Return" | "Exit" | "Break" | "Continue"> {
  readonly value?: SimpleStatement;
}

export interface FunctionDefinition extends Node<"FunctionDefinition"> {
  readonly name: string;
  readonly body: ScriptBody;
}

export type Statement =
  SimpleStatement | If | Loop | For | ForEach | Try | Flow | FunctionDefinition;

/** `[Name(arg, Key = value)]`; `[Name()]` has neither, `Key` alone means `Key = $true`. */
export interface Attribute extends Node<"Attribute"> {
  readonly name: string;
  readonly args: readonly Expression[];
  readonly named: readonly { readonly name: string; readonly value?: Expression }[];
}

export interface Parameter extends Node<"Parameter"> {
  readonly name: string;
  readonly type?: TypeName;
  readonly attributes: readonly Attribute[];
  readonly defaultValue?: Expression;
}

/** A script, a function's body or a block. */
export interface ScriptBody extends Node<"ScriptBody"> {
  /** Of the param block: CmdletBinding, OutputType. */
  readonly attributes: readonly Attribute[];
  /** Undefined: no param block. */
  readonly parameters?: readonly Parameter[];
  readonly statements: Block;
  /** The statements stand in a `process` block: they are run for each value that is piped in. */
  readonly forEachInput: boolean;
}

type CommandPart = Command | ExpressionElement | CommandParameter;
export type AnyNode =
  Expression | Statement | ScriptBody | Attribute | Parameter | TypeName | CommandPart;
