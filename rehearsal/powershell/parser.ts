/**
 * Parses scripts into syntax trees. There is no separate tokenizer, because the meaning of characters depends on their
 * context: `-5` is an operator and a number, a number, or the text of an argument. Each rule reads the text itself.
 */

import { endOfNames, escaped, forms, newlines, numberOf, Reader, separators } from "./lexer.ts";
import type * as Syntax from "./syntax.ts";

export function parse(file: Syntax.SourceFile): Syntax.ScriptBody {
  return new Parser(file).script();
}

/** A node whose end is not known yet. */
type Unplaced<T> = T extends unknown ? Omit<T, "position"> : never;

interface Operator {
  readonly name: string;
  readonly rank: number;
}

const comparisons =
  "eq ne gt ge lt le like notlike match notmatch replace split contains notcontains in notin";

/** Binary operators. Later rows bind tighter. */
const binaryOperators = new Map<string, Operator>(
  [
    ["-and", "-or", "-xor"],
    ["-band", "-bor", "-bxor"],
    [
      ...comparisons.split(" ").flatMap((name) => [`-${name}`, `-c${name}`, `-i${name}`]),
      "-join",
      "-is",
      "-isnot",
      "-as",
    ],
    ["+", "-"],
    ["*", "/", "%"],
    ["-f"],
    [".."],
  ].flatMap((names, rank) => names.map((name) => [name, { name: plain(name), rank }])),
);

/** Removes a leading `i`: operators ignore case by default. */
function plain(operator: string): string {
  const name = operator.replace(/^-i/, "");
  return comparisons.split(" ").includes(name) ? `-${name}` : operator;
}

/** Keywords that cannot begin a statement: those of unsupported statements, and those that continue one. */
const unsupportedKeywords = new Set(
  (
    "begin catch class configuration data dynamicparam else elseif end enum filter finally in " +
    "param process switch trap until using workflow"
  ).split(" "),
);

class Parser extends Reader {
  /** How many finally blocks it is in. */
  private finalBlocks = 0;

  private readonly statementRules = new Map<string, () => Unplaced<Syntax.Statement>>([
    ["if", () => this.ifStatement()],
    ["while", () => this.whileLoop()],
    ["do", () => this.doLoop()],
    ["for", () => this.forLoop()],
    ["foreach", () => this.forEach()],
    ["try", () => this.tryStatement()],
    ["throw", () => this.flow("Throw")],
    ["return", () => this.flow("Return")],
    ["exit", () => this.flow("Exit")],
    ["break", () => this.flow("Break")],
    ["continue", () => this.flow("Continue")],
    ["function", () => this.functionDefinition()],
  ]);

  script(): Syntax.ScriptBody {
    const body = this.scriptBody();
    if (!this.look(/$/y)) {
      this.expected("a statement");
    }
    return { ...body, position: this.since(0) };
  }

  // Bodies and parameters

  /** The content of a pair of braces, or the whole text. */
  private scriptBody(): Unplaced<Syntax.ScriptBody> {
    const attributes: Syntax.Attribute[] = [];
    for (this.space(newlines); this.look(forms.attribute); this.space(newlines)) {
      attributes.push(this.attribute());
    }
    const parameters = this.passKeyword("param") ? this.parameters() : undefined;
    if (parameters === undefined && attributes.length > 0)
      this.refuse("an attribute of a variable");
    const forEachInput = this.passKeyword("process");
    const statements = forEachInput ? this.block() : this.statements();
    this.space(newlines);
    return { kind: "ScriptBody", attributes, parameters, statements, forEachInput };
  }

  private parameters(): Syntax.Parameter[] {
    this.space(newlines);
    return this.separated(() => this.parameter());
  }

  /** A list in parentheses, separated by commas. */
  private separated<T>(rule: () => T): T[] {
    const items: T[] = [];
    this.expect("(");
    this.space(newlines);
    if (!this.looksAt(")")) {
      do {
        this.space(newlines);
        items.push(rule());
        this.space(newlines);
      } while (this.pass(","));
    }
    this.expect(")");
    return items;
  }

  private parameter(): Syntax.Parameter {
    const start = this.at;
    const attributes: Syntax.Attribute[] = [];
    let type: Syntax.TypeName | undefined;
    for (; this.looksAt("["); this.space(newlines)) {
      if (this.look(forms.attribute)) {
        attributes.push(this.attribute());
      } else {
        type = this.typeName();
      }
    }
    const { name } = this.variable() ?? this.expected("a parameter");
    const defaultValue = this.valueBehindEquals();
    return { kind: "Parameter", name, type, attributes, defaultValue, position: this.since(start) };
  }

  private valueBehindEquals(): Syntax.Expression | undefined {
    if (this.takeBehind(newlines, /=/y) === undefined) return undefined;
    this.space(newlines);
    return this.expression(false);
  }

  private attribute(): Syntax.Attribute {
    const start = this.at;
    const name = this.match(forms.attribute)?.[1] ?? "";
    const args: Syntax.Expression[] = [];
    const named: Syntax.Attribute["named"][number][] = [];
    this.separated(() => {
      const key = this.take(forms.name);
      if (key === undefined) {
        args.push(this.expression(false));
      } else {
        named.push({ name: key, value: this.valueBehindEquals() });
      }
    });
    this.expect("]");
    if (![...args, ...named.flatMap(({ value }) => value ?? [])].every(isConstant)) {
      this.refuse("an attribute's argument that is not constant");
    }
    return { kind: "Attribute", name, args, named, position: this.since(start) };
  }

  // Statements

  private statements(): Syntax.Statement[] {
    const statements: Syntax.Statement[] = [];
    for (this.space(separators); !this.look(/$|[)}]/y); this.space(separators)) {
      const statement = this.statement();
      statements.push(statement);
      this.space();
      if (!endsWithBlock(statement) && !this.look(forms.statementEnd)) {
        this.expected("the end of the statement");
      }
    }
    return statements;
  }

  private statement(): Syntax.Statement {
    const start = this.at;
    const word = this.look(forms.keyword)?.[0].toLowerCase() ?? "";
    const rule = this.statementRules.get(word);
    if (rule !== undefined) {
      this.at += word.length;
      return { ...rule(), position: this.since(start) };
    }
    if (unsupportedKeywords.has(word)) {
      this.refuse(`'${word}'`);
    }
    if (this.look(/:\w/y)) {
      this.refuse("a label");
    }
    return this.pipelineOrAssignment();
  }

  private block(): Syntax.Statement[] {
    this.space(newlines);
    this.expect("{");
    const statements = this.statements();
    this.expect("}");
    return statements;
  }

  private parenthesized(): Syntax.Pipeline | Syntax.Assignment {
    this.space(newlines);
    this.expect("(");
    this.space(newlines);
    const statement = this.pipelineOrAssignment();
    this.space(newlines);
    this.expect(")");
    return statement;
  }

  private ifStatement(): Unplaced<Syntax.If> {
    const clauses: Syntax.If["clauses"][number][] = [];
    do {
      clauses.push({ condition: this.parenthesized(), body: this.block() });
    } while (this.passKeyword("elseif"));
    const otherwise = this.passKeyword("else") ? this.block() : undefined;
    return { kind: "If", clauses, otherwise };
  }

  private whileLoop(): Unplaced<Syntax.Loop> {
    const condition = this.parenthesized();
    return { kind: "While", condition, body: this.block() };
  }

  private doLoop(): Unplaced<Syntax.Loop> {
    const body = this.block();
    if (this.passKeyword("until")) {
      this.refuse("'until'");
    }
    if (!this.passKeyword("while")) {
      this.expected("'while'");
    }
    return { kind: "DoLoop", body, condition: this.parenthesized() };
  }

  private forLoop(): Unplaced<Syntax.For> {
    this.space(newlines);
    this.expect("(");
    const part = (end: string): Syntax.Pipeline | Syntax.Assignment | undefined => {
      this.space(newlines);
      const statement = this.looksAt(end) ? undefined : this.pipelineOrAssignment();
      this.space(newlines);
      this.expect(end);
      return statement;
    };
    const [initializer, condition, iterator] = [part(";"), part(";"), part(")")];
    return { kind: "For", initializer, condition, iterator, body: this.block() };
  }

  private forEach(): Unplaced<Syntax.ForEach> {
    this.space(newlines);
    this.expect("(");
    this.space(newlines);
    const variable = this.variable() ?? this.expected("a variable");
    if (!this.passKeyword("in")) {
      this.expected("'in'");
    }
    this.space(newlines);
    const collection = this.pipelineOrAssignment();
    this.space(newlines);
    this.expect(")");
    return { kind: "ForEach", variable, collection, body: this.block() };
  }

  private tryStatement(): Unplaced<Syntax.Try> {
    const body = this.block();
    const catches: Syntax.Try["catches"][number][] = [];
    while (this.passKeyword("catch")) {
      const types: Syntax.TypeName[] = [];
      for (this.space(newlines); this.looksAt("["); this.takeBehind(newlines, /,\s*/y)) {
        types.push(this.typeName());
      }
      if (catches.at(-1)?.types.length === 0)
        this.refuse("a catch behind one that catches everything");
      catches.push({ types, body: this.block() });
    }
    const final = this.passKeyword("finally") ? this.finalBlock() : undefined;
    if (catches.length === 0 && final === undefined) {
      this.expected("'catch' or 'finally'");
    }
    return { kind: "Try", body, catches, final };
  }

  private finalBlock(): Syntax.Statement[] {
    this.finalBlocks++;
    try {
      return this.block();
    } finally {
      this.finalBlocks--;
    }
  }

  private flow(kind: Syntax.Flow["kind"]): Unplaced<Syntax.Flow> {
    this.space();
    // Where it leaves the block, PowerShell's parser rejects it.
    if (this.finalBlocks > 0 && /Return|Break|Continue/.test(kind)) {
      this.refuse(`${kind.toLowerCase()} in a finally block`);
    }
    if (this.look(forms.statementEnd)) return { kind };
    if (kind === "Break" || kind === "Continue") {
      this.refuse("a label");
    }
    return { kind, value: this.pipelineOrAssignment() };
  }

  private functionDefinition(): Unplaced<Syntax.FunctionDefinition> {
    this.space();
    const name = this.take(forms.functionName) ?? this.expected("a name");
    this.space(newlines);
    const parameters = this.looksAt("(") ? this.parameters() : undefined;
    this.space(newlines);
    const body = this.braced();
    const all = { ...body, parameters: parameters ?? body.parameters };
    return { kind: "FunctionDefinition", name, body: all };
  }

  private braced(): Syntax.ScriptBody {
    const start = this.at;
    this.expect("{");
    const body = this.scriptBody();
    this.expect("}");
    return { ...body, position: this.since(start) };
  }

  // Pipelines

  private pipelineOrAssignment(): Syntax.Pipeline | Syntax.Assignment {
    if (this.look(forms.otherNumber) && !this.look(forms.numberArgument)) {
      this.refuse("a number of this type");
    }
    if (this.look(forms.numberBefore)) this.refuse("what is behind a number without a blank");
    const start = this.at;
    const elements: (Syntax.Command | Syntax.ExpressionElement)[] = [];
    do {
      this.space(elements.length > 0 ? newlines : undefined);
      const first = this.at;
      if (elements.length > 0 || !this.look(forms.expression)) {
        elements.push(this.command());
        continue;
      }
      const expression = this.expression();
      const operator = this.takeBehind(undefined, forms.assignment);
      if (operator !== undefined) return this.assignment(expression, operator, start);
      this.space();
      this.refuseRedirection();
      elements.push({ kind: "ExpressionElement", expression, position: this.since(first) });
    } while (!this.looksAt("||") && this.pass("|"));
    return { kind: "Pipeline", elements, position: this.since(start) };
  }

  private assignment(
    target: Syntax.Expression,
    operator: string,
    start: number,
  ): Syntax.Assignment {
    if (!["Variable", "Member", "Index", "Cast", "ArrayLiteral"].includes(target.kind)) {
      this.at = start;
      if (target.kind === "Constant") this.expected("a variable to assign to");
      this.refuse("an assignment to such a value");
    }
    this.space(newlines);
    const value = this.statement();
    return { kind: "Assignment", target, operator, value, position: this.since(start) };
  }

  private command(): Syntax.Command {
    const start = this.at;
    if (this.look(/\d+(\.\d+)?(d|n|u?[lsy]|u)([kmgtp]b)?(?!\w)/iy))
      this.refuse("a number with such a type");
    const invocation = (this.take(forms.invocation) ?? "") as Syntax.Command["invocation"];
    this.space();
    const name = invocation === "" ? this.word() : this.argument();
    const elements: (Syntax.Expression | Syntax.CommandParameter)[] = [];
    const redirections: Syntax.Command["redirections"][number][] = [];
    let mayBeNames = true;
    for (this.space(); !this.look(forms.commandEnd); this.space()) {
      const at = this.at;
      if (this.take(forms.redirection) !== undefined) {
        this.take(/>/y);
        this.space();
        const target = this.take(/&\d/y) === undefined ? this.argument() : undefined;
        redirections.push({ kind: "Redirection", target, position: this.since(at) });
      } else if (mayBeNames && this.take(forms.endOfNames) !== undefined) {
        mayBeNames = false;
        const before = elements.at(-1);
        if (before?.kind === "CommandParameter") this.refuse("-- behind a parameter");
        const text = { value: endOfNames, written: endOfNames };
        elements.push({ kind: "Constant", ...text, position: this.since(at) });
      } else {
        if (this.looksAt(",")) this.expected("an argument");
        if (!mayBeNames && this.look(/-\w[\w-]*[.[:]/y)) this.refuse("a name behind --");
        const parameter = mayBeNames ? this.commandParameter() : undefined;
        elements.push(parameter ?? this.list(() => this.argument()));
      }
    }
    const position = this.since(start);
    return { kind: "Command", invocation, name, elements, redirections, position };
  }

  private commandParameter(): Syntax.CommandParameter | undefined {
    const start = this.at;
    const name = this.match(forms.parameter)?.[1];
    if (name === undefined) return undefined;
    let value: Syntax.Expression | undefined;
    if (this.pass(":")) {
      this.space();
      if (this.look(forms.endOfNames)) this.refuse("-- behind a parameter");
      value = this.list(() => this.argument());
    }
    return { kind: "CommandParameter", name, value, position: this.since(start) };
  }

  private refuseRedirection(): void {
    if (this.look(forms.redirection)) {
      this.refuse("a redirection");
    }
  }

  private argument(): Syntax.Expression {
    const start = this.at;
    if (this.look(forms.argument)) return this.primary();
    if (this.look(forms.otherNumber) && !this.look(forms.numberArgument)) {
      this.refuse("a number of this type");
    }
    const number = this.look(forms.numberArgument) && this.number();
    return number ? { ...number, written: this.textSince(start) } : this.word();
  }

  /** A bare word, which may contain quoted parts and variables. */
  private word(): Syntax.Expression {
    const start = this.at;
    const parts: (string | Syntax.Expression)[] = [];
    // PowerShell treats typographic dashes and quotes as plain ones.
    const refused = this.look(/--%|[\u2013-\u2015\u2018-\u201e]/y)?.[0];
    if (refused !== undefined) {
      this.refuse(`'${refused}'`);
    }
    while (!this.look(forms.wordEnd)) {
      if (this.looksAt("'")) {
        parts.push(this.literalText());
      } else if (this.looksAt('"')) {
        parts.push(...this.quotedParts());
      } else {
        parts.push(this.part());
      }
    }
    return this.at === start ? this.expected("a word") : this.textOf(parts, start);
  }

  // Expressions

  /** `commaMakesList` is false for method arguments, which commas separate. */
  private expression(commaMakesList = true): Syntax.Expression {
    return this.binary(0, commaMakesList);
  }

  private binary(lowest: number, commaMakesList: boolean): Syntax.Expression {
    const start = this.at;
    let left = commaMakesList ? this.list(() => this.unary()) : this.unary(false);
    for (;;) {
      this.space();
      const written = this.look(forms.binaryOperator)?.[0] ?? "";
      const operator = binaryOperators.get(written.toLowerCase());
      if (operator === undefined || operator.rank < lowest) return left;
      this.at += written.length;
      this.space(newlines);
      const right = this.binary(operator.rank + 1, commaMakesList);
      left = { kind: "Binary", operator: operator.name, left, right, position: this.since(start) };
    }
  }

  private list(rule: () => Syntax.Expression): Syntax.Expression {
    const start = this.at;
    const item = (): Syntax.Expression => {
      const comma = this.at;
      if (!this.pass(",")) return rule();
      this.space(newlines);
      const operand = rule();
      const position = this.since(comma);
      return { kind: "Unary", operator: ",", operand, postfix: false, position };
    };
    const first = item();
    const items = [first];
    while (this.takeBehind(undefined, /,/y)) {
      this.space(newlines);
      items.push(item());
    }
    return items.length === 1
      ? first
      : { kind: "ArrayLiteral", items, position: this.since(start) };
  }

  private unary(commaMakesList = true): Syntax.Expression {
    const start = this.at;
    if (this.looksAt("[")) return this.castOrType();
    if (!commaMakesList && this.looksAt(",")) return this.expected("an argument");
    const operator = this.take(forms.unaryOperator)?.toLowerCase();
    if (operator === undefined) return this.postfix(this.primary(), start);
    this.space(newlines);
    const operand = this.unary(commaMakesList);
    if (/^(\+\+|--)$/.test(operator) && !["Variable", "Member", "Index"].includes(operand.kind)) {
      this.expected("a variable or a member");
    }
    return { kind: "Unary", operator, operand, postfix: false, position: this.since(start) };
  }

  private postfix(operand: Syntax.Expression, start: number): Syntax.Expression {
    const operator = this.takeBehind(undefined, /\+\+|--/y);
    if (operator !== undefined && !["Variable", "Member", "Index"].includes(operand.kind)) {
      this.expected("a variable or a member");
    }
    return operator === undefined
      ? operand
      : { kind: "Unary", operator, operand, postfix: true, position: this.since(start) };
  }

  private castOrType(): Syntax.Expression {
    const start = this.at;
    const type = this.typeName();
    const literal: Syntax.Expression = { kind: "TypeLiteral", type, position: this.since(start) };
    if (this.look(forms.member)) return this.postfix(this.accesses(literal, start), start);
    this.space();
    if (!this.look(forms.castOperand)) return literal;
    const operand = this.unary();
    return { kind: "Cast", type, operand, position: this.since(start) };
  }

  private typeName(): Syntax.TypeName {
    const start = this.at;
    if (this.look(forms.attribute)) this.refuse("an attribute of a variable");
    const written = this.match(forms.type)?.[1] ?? this.expected("a type");
    const name = written.replace(/(?:\s*\[\s*\])+\s*$/, "");
    const ranks = written.slice(name.length).split("[").length - 1;
    return { kind: "TypeName", name: name.trim(), ranks, position: this.since(start) };
  }

  // Values

  /** A value with its members, indexes and calls. */
  private primary(): Syntax.Expression {
    const start = this.at;
    return this.accesses(this.value(), start);
  }

  private accesses(first: Syntax.Expression, start: number): Syntax.Expression {
    let object = first;
    for (;;) {
      const operator = this.take(forms.member);
      if (operator !== undefined) {
        object = this.member(object, operator === "::", start);
      } else if (this.pass("[")) {
        this.space(newlines);
        const index = this.expression();
        this.space(newlines);
        this.expect("]");
        object = { kind: "Index", object, index, position: this.since(start) };
      } else {
        return object;
      }
    }
  }

  private member(object: Syntax.Expression, isStatic: boolean, start: number): Syntax.Expression {
    this.space(newlines);
    if (this.look(/["$(]/y)) {
      this.refuse("a member whose name is worked out");
    }
    const name = this.looksAt("'") ? this.literalText() : this.take(/\w+/y);
    if (name === undefined) {
      this.expected("the name of a member");
    }
    if (this.looksAt("{")) this.refuse("a method's block without parentheses");
    if (!this.looksAt("(")) {
      return { kind: "Member", object, name, isStatic, position: this.since(start) };
    }
    const args = this.separated(() => this.expression(false));
    return { kind: "MethodCall", object, name, isStatic, args, position: this.since(start) };
  }

  private value(): Syntax.Expression {
    const start = this.at;
    const simple = this.variable() ?? this.number() ?? this.hereString();
    if (simple !== undefined) return simple;
    const opener = this.look(/[$@]\(|@\{|['"({]/y)?.[0] ?? this.expected("a value");
    switch (opener) {
      case "'":
        return { kind: "Constant", value: this.literalText(), position: this.since(start) };
      case '"':
        return this.textOf(this.quotedParts(), start);
      case "@{":
        return { ...this.hashtable(), position: this.since(start) };
      case "{": {
        const block = this.braced();
        return { kind: "ScriptBlockLiteral", block, position: block.position };
      }
      case "(": {
        const statement = this.parenthesized();
        return { kind: "Parenthesis", statement, position: this.since(start) };
      }
    }
    this.at += opener.length;
    const body = this.statements();
    this.expect(")");
    const kind = opener === "@(" ? "ArrayExpression" : "SubExpression";
    return { kind, body, position: this.since(start) };
  }

  private number(): Syntax.Constant | undefined {
    const start = this.at;
    if (this.look(forms.otherNumber)) this.refuse("a number of this type");
    const match = this.match(forms.number);
    if (match === null) return undefined;
    if (this.look(forms.behindNumber)) this.refuse("what is behind a number without a blank");
    if (this.look(/\w/y)) {
      this.expected("the end of a number");
    }
    const value = numberOf(match);
    if (value === undefined) this.refuse("a number of this size");
    return { kind: "Constant", value, position: this.since(start) };
  }

  private hashtable(): Unplaced<Syntax.HashtableLiteral> {
    const pairs: Syntax.HashtableLiteral["pairs"][number][] = [];
    const names = new Set<string>();
    this.expect("@{");
    for (this.space(separators); !this.pass("}"); this.space(separators)) {
      const start = this.at;
      const name = this.take(forms.name);
      const key: Syntax.Expression =
        name === undefined
          ? this.unary()
          : { kind: "Constant", value: name, position: this.since(start) };
      const value = key.kind === "Constant" ? key.value : undefined;
      const written =
        typeof value === "object" ? JSON.stringify(value) : value?.toString().toLowerCase();
      if (written !== undefined && names.has(written)) this.refuse(`the key ${written} twice`);
      if (written !== undefined) names.add(written);
      this.space(newlines);
      this.expect("=");
      this.space(newlines);
      pairs.push({ key, value: this.statement() });
      this.space();
      if (!this.look(forms.statementEnd)) {
        this.expected("'}'");
      }
    }
    return { kind: "HashtableLiteral", pairs };
  }

  // Variables and texts

  /** `$name`, `$scope:name` or `${any text}`; with `@` in place of `$` too. */
  private variable(): Syntax.Variable | undefined {
    const start = this.at;
    const match = this.match(forms.variable);
    if (match === null) return undefined;
    const [whole, braced, path = ""] = match;
    const written = braced?.replace(/`([^])/g, "$1") ?? path;
    const colon = written.indexOf(":");
    if (colon < 0 && braced === undefined && this.look(/:(?!:)/y)) {
      this.expected("a name behind ':', or ${ } around the one before it,");
    }
    const scope = colon < 0 ? undefined : written.slice(0, colon).toLowerCase();
    // $PSItem is another name of $_.
    const name = written.slice(colon + 1).replace(/^psitem$/i, "_");
    const splatted = whole.startsWith("@");
    return { kind: "Variable", scope, name, splatted, position: this.since(start) };
  }

  private literalText(): string {
    const inner = this.match(/'((?:[^']|'')*)'/y)?.[1] ?? this.expected("a text that is closed");
    return inner.replaceAll("''", "'");
  }

  private quotedParts(): (string | Syntax.Expression)[] {
    this.expect('"');
    return this.partsBefore(/"(?!")/y, '"');
  }

  /** The lines between `@'` and `'@`, without the last line break. */
  private hereString(): Syntax.Expression | undefined {
    const start = this.at;
    const literal = this.match(/@'[^\S\r\n]*(?:\r?\n([^]*?))??\r?\n'@/y);
    if (literal !== null) {
      return { kind: "Constant", value: literal[1] ?? "", position: this.since(start) };
    }
    if (this.take(/@"[^\S\r\n]*(?=\r?\n)/y) === undefined) return undefined;
    const end = /\r?\n"@/y;
    // In an empty here-string, the line break after the opening quote is also the one before the closing quote.
    if (!this.look(end)) {
      this.take(/\r?\n/y);
    }
    return this.textOf(this.partsBefore(end, '""'), start);
  }

  /** Reads the parts of a text up to and including its end. `quotes` is the meaning of two double quotes. */
  private partsBefore(end: RegExp, quotes: string): (string | Syntax.Expression)[] {
    const start = this.at;
    const parts: (string | Syntax.Expression)[] = [];
    while (this.take(end) === undefined) {
      if (this.look(/$/y)) {
        this.at = start;
        this.expected("a text that is closed");
      }
      parts.push(this.pass('""') ? quotes : this.part());
    }
    return parts;
  }

  /** A part of a text: a variable, a subexpression or characters. */
  private part(): string | Syntax.Expression {
    const start = this.at;
    const value = this.looksAt("$(") ? this.value() : this.looksAt("$") && this.variable();
    if (value) {
      const text = this.textSince(start);
      // PowerShell counts parentheses there, in texts too, and takes two double quotes for one.
      if (text.startsWith("$(") && (!isBalanced(text) || /'[^']*""/.test(text))) {
        this.refuse("a text in $( ) in a text, with parentheses or double quotes");
      }
      return value;
    }
    if (this.look(/\$[^\0-\x7f]/y)) this.refuse("a variable with such a name");
    const written = this.take(/`[^]|\w+|[^]/y) ?? "";
    return /^`[^]/.test(written) ? escaped(written.charAt(1)) : written;
  }

  /** Joins the parts of a text: a constant, unless there is something to expand. */
  private textOf(parts: readonly (string | Syntax.Expression)[], start: number): Syntax.Expression {
    const position = this.since(start);
    const joined: (string | Syntax.Expression)[] = [];
    for (const part of parts) {
      const last = joined.at(-1);
      if (typeof part === "string" && typeof last === "string") {
        joined[joined.length - 1] = last + part;
      } else {
        joined.push(part);
      }
    }
    const [only = ""] = joined;
    return joined.length <= 1 && typeof only === "string"
      ? { kind: "Constant", value: only, position }
      : { kind: "ExpandableString", parts: joined, position };
  }
}

function endsWithBlock(statement: Syntax.Statement): boolean {
  if (statement.kind === "Assignment") return endsWithBlock(statement.value);
  return ["If", "While", "For", "ForEach", "Try", "FunctionDefinition"].includes(statement.kind);
}

/** Whether the last parenthesis is the one that closes the first, wherever they are. */
function isBalanced(text: string): boolean {
  let open = 0;
  const ends = [...text].flatMap((each, at) => {
    open += Number(each === "(") - Number(each === ")");
    return open === 0 && each === ")" ? [at] : [];
  });
  return ends[0] === text.length - 1;
}

/** What an attribute may have as its argument. */
function isConstant(node: Syntax.Expression): boolean {
  if (node.kind === "Unary") return isConstant(node.operand);
  if (node.kind === "Variable") return /^(true|false|null)$/i.test(node.name);
  return ["Constant", "ScriptBlockLiteral", "TypeLiteral"].includes(node.kind);
}
