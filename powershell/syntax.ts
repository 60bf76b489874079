/** The syntax trees of scripts: what the parser makes and the evaluator walks. */

/** A script's text, and where it came from. */
export interface SourceFile {
  /** Full path, or a name in angle brackets for text that is no file. */
  readonly path: string;
  readonly text: string;
}

/** Where a node stands. */
export interface Position {
  readonly file: SourceFile;
  /** Counted from 1. */
  readonly line: number;
  /** Offset of the first character. */
  readonly start: number;
  /** Offset behind the last character. */
  readonly end: number;
}

interface Node {
  readonly position: Position;
}

/** A type as it is written between brackets, e.g. `string[]` or `System.IO.File`. */
export interface TypeName extends Node {
  readonly kind: "TypeName";
  /** Without brackets of arrays. */
  readonly name: string;
  /** Number of `[]` behind the name. */
  readonly ranks: number;
}

export interface Constant extends Node {
  readonly kind: "Constant";
  readonly value: ConstantValue;
  /** How a bare number is written, where that is remembered: as an argument, `010` is also the text "010". */
  readonly written?: string;
}

/** `number` is an Int32, `bigint` an Int64. */
export type ConstantValue = string | number | bigint | { readonly double: number };

/** A text in double quotes, or a bare word with variables in it. */
export interface ExpandableString extends Node {
  readonly kind: "ExpandableString";
  readonly parts: readonly (string | Expression)[];
}

export interface Variable extends Node {
  readonly kind: "Variable";
  /** What stands before the colon, in lower case: `env`, `script`, `global`, `local`, `function`; none: undefined. */
  readonly scope?: string;
  readonly name: string;
  /** `@name` in place of `$name`. */
  readonly splatted: boolean;
}

export interface Member extends Node {
  readonly kind: "Member";
  readonly object: Expression;
  readonly name: string | Expression;
  /** `::` in place of `.`. */
  readonly isStatic: boolean;
}

export interface MethodCall extends Node {
  readonly kind: "MethodCall";
  readonly object: Expression;
  readonly name: string | Expression;
  readonly isStatic: boolean;
  readonly args: readonly Expression[];
}

export interface Index extends Node {
  readonly kind: "Index";
  readonly object: Expression;
  readonly index: Expression;
}

/** `operator` is in lower case, as written: `-not`, `!`, `-`, `+`, `,`, `-join`, `-split`, `++`, `--`. */
export interface Unary extends Node {
  readonly kind: "Unary";
  readonly operator: string;
  readonly operand: Expression;
  /** For `++` and `--`. */
  readonly postfix: boolean;
}

/** `operator` is in lower case: `+`, `-eq`, `-cmatch`, `-f`, `-and`, ... A leading `i` is left out: `-ieq` is `-eq`. */
export interface Binary extends Node {
  readonly kind: "Binary";
  readonly operator: string;
  readonly left: Expression;
  readonly right: Expression;
}

export interface Cast extends Node {
  readonly kind: "Cast";
  readonly type: TypeName;
  readonly operand: Expression;
}

export interface TypeLiteral extends Node {
  readonly kind: "TypeLiteral";
  readonly type: TypeName;
}

/** `1, 2, 3`. A comma before one value is a Unary. */
export interface ArrayLiteral extends Node {
  readonly kind: "ArrayLiteral";
  readonly items: readonly Expression[];
}

/** `@( )`. */
export interface ArrayExpression extends Node {
  readonly kind: "ArrayExpression";
  readonly body: readonly Statement[];
}

/** `$( )`. */
export interface SubExpression extends Node {
  readonly kind: "SubExpression";
  readonly body: readonly Statement[];
}

/** `( )`. */
export interface Parenthesis extends Node {
  readonly kind: "Parenthesis";
  readonly statement: Pipeline | Assignment;
}

/** `@{ }`. `[ordered]` before one is a Cast. */
export interface HashtableLiteral extends Node {
  readonly kind: "HashtableLiteral";
  readonly pairs: readonly { readonly key: Expression; readonly value: Statement }[];
}

export interface ScriptBlockLiteral extends Node {
  readonly kind: "ScriptBlockLiteral";
  readonly block: ScriptBody;
}

export type Expression =
  | Constant
  | ExpandableString
  | Variable
  | Member
  | MethodCall
  | Index
  | Unary
  | Binary
  | Cast
  | TypeLiteral
  | ArrayLiteral
  | ArrayExpression
  | SubExpression
  | Parenthesis
  | HashtableLiteral
  | ScriptBlockLiteral;

/** `-Name value`, `-Name:value` or `-Name`. The value of the first form is the next argument of the command. */
export interface CommandParameter extends Node {
  readonly kind: "CommandParameter";
  readonly name: string;
  /** Only what stands behind a colon. */
  readonly value?: Expression;
}

export interface Redirection extends Node {
  readonly kind: "Redirection";
  /** `1`, `2`, ... or `*`. */
  readonly stream: string;
  readonly append: boolean;
  /** A stream's number for `2>&1`, else a file or `$null`. */
  readonly target: Expression | { readonly stream: string };
}

export interface Command extends Node {
  readonly kind: "Command";
  /** `&`, `.` or none. */
  readonly invocation: "" | "&" | ".";
  /** A Constant with the name as it is written, unless there is an invocation operator. */
  readonly name: Expression;
  readonly elements: readonly (Expression | CommandParameter)[];
  readonly redirections: readonly Redirection[];
}

/** An expression as part of a pipeline; elsewhere than at its beginning a mistake. */
export interface ExpressionElement extends Node {
  readonly kind: "ExpressionElement";
  readonly expression: Expression;
  readonly redirections: readonly Redirection[];
}

export interface Pipeline extends Node {
  readonly kind: "Pipeline";
  readonly elements: readonly (Command | ExpressionElement)[];
}

/** `operator` is `=`, `+=`, `-=`, `*=`, `/=` or `%=`. The target of several variables is an ArrayLiteral. */
export interface Assignment extends Node {
  readonly kind: "Assignment";
  readonly target: Expression;
  readonly operator: string;
  readonly value: Statement;
}

export interface If extends Node {
  readonly kind: "If";
  readonly clauses: readonly {
    readonly condition: Pipeline | Assignment;
    readonly body: readonly Statement[];
  }[];
  readonly otherwise?: readonly Statement[];
}

export interface While extends Node {
  readonly kind: "While";
  readonly condition: Pipeline | Assignment;
  readonly body: readonly Statement[];
}

export interface DoLoop extends Node {
  readonly kind: "DoLoop";
  readonly body: readonly Statement[];
  readonly condition: Pipeline | Assignment;
  readonly until: boolean;
}

export interface For extends Node {
  readonly kind: "For";
  readonly initializer?: Pipeline | Assignment;
  readonly condition?: Pipeline | Assignment;
  readonly iterator?: Pipeline | Assignment;
  readonly body: readonly Statement[];
}

export interface ForEach extends Node {
  readonly kind: "ForEach";
  readonly variable: Variable;
  readonly collection: Pipeline | Assignment;
  readonly body: readonly Statement[];
}

export interface Try extends Node {
  readonly kind: "Try";
  readonly body: readonly Statement[];
  /** Without types: takes everything. */
  readonly catches: readonly {
    readonly types: readonly TypeName[];
    readonly body: readonly Statement[];
  }[];
  readonly final?: readonly Statement[];
}

export interface Flow extends Node {
  readonly kind: "Throw" | "Return" | "Exit" | "Break" | "Continue";
  /** For throw, return and exit. */
  readonly value?: Pipeline | Assignment;
}

export interface FunctionDefinition extends Node {
  readonly kind: "FunctionDefinition";
  readonly name: string;
  readonly body: ScriptBody;
}

export type Statement =
  Pipeline | Assignment | If | While | DoLoop | For | ForEach | Try | Flow | FunctionDefinition;

/** `[Name(arg, Key = value)]`; `[Name()]` has neither, `Key` alone means `Key = $true`. */
export interface Attribute extends Node {
  readonly kind: "Attribute";
  readonly name: string;
  readonly args: readonly Expression[];
  readonly named: readonly { readonly name: string; readonly value?: Expression }[];
}

export interface Parameter extends Node {
  readonly kind: "Parameter";
  readonly name: string;
  readonly type?: TypeName;
  readonly attributes: readonly Attribute[];
  readonly defaultValue?: Expression;
}

/** A script, a function's body or a block. */
export interface ScriptBody extends Node {
  readonly kind: "ScriptBody";
  /** Of the param block: CmdletBinding, OutputType. */
  readonly attributes: readonly Attribute[];
  /** Undefined: no param block. */
  readonly parameters?: readonly Parameter[];
  readonly statements: readonly Statement[];
  /** The statements stand in a `process` block: they are run for each value that is piped in. */
  readonly forEachInput: boolean;
}

export type AnyNode =
  | Expression
  | Statement
  | ScriptBody
  | Attribute
  | Parameter
  | TypeName
  | Command
  | ExpressionElement
  | CommandParameter
  | Redirection;
