/**
 * Makes syntax trees of scripts. Where PowerShell reads characters differs from place to place (`-5` is an operator and a
 * number, a number, or the text of an argument), so that there is no list of tokens: each rule reads the text itself.
 */

import {
  endsWord,
  escaped,
  isDash,
  isDigit,
  isDoubleQuote,
  isLetter,
  isNameCharacter,
  isNewline,
  isSingleQuote,
  isSpace,
  isVariableCharacter,
  oneOf,
  Reader,
  scanNumber,
  ScriptSyntaxError,
  UnsupportedSyntaxError,
} from "./lexer.ts";
import type {
  Assignment,
  Attribute,
  Command,
  CommandParameter,
  Constant,
  Expression,
  ExpressionElement,
  Flow,
  For,
  FunctionDefinition,
  HashtableLiteral,
  If,
  Parameter,
  Pipeline,
  Redirection,
  ScriptBody,
  SourceFile,
  Statement,
  Try,
  TypeName,
} from "./syntax.ts";

export { ScriptSyntaxError, UnsupportedSyntaxError };

export function parse(file: SourceFile): ScriptBody {
  return new Parser(file).script();
}

/** The ranks of binary operators; a higher one binds tighter. */
const rankOf = new Map<string, number>([
  ...["-and", "-or", "-xor"].map((name) => [name, 1] as const),
  ...["-band", "-bor", "-bxor"].map((name) => [name, 2] as const),
  ...comparisons().map((name) => [name, 3] as const),
  ["+", 4],
  ["-", 4],
  ["*", 5],
  ["/", 5],
  ["%", 5],
  ["-f", 6],
  ["..", 7],
]);

function comparisons(): string[] {
  const insensitive =
    "eq ne gt ge lt le like notlike match notmatch replace split contains notcontains in notin";
  const both = insensitive.split(" ").flatMap((name) => [`-${name}`, `-c${name}`]);
  return [...both, "-join", "-is", "-isnot", "-as", "-shl", "-shr"];
}

const unaryWords = new Set(["-not", "-bnot", "-join", "-split", "-csplit"]);

/** Words that begin a statement of PowerShell's which is not supported. */
const unsupportedStatements = new Set(
  (
    "class configuration data define enum filter from inlinescript parallel sequence switch trap " +
    "using var workflow"
  ).split(" "),
);

const namedBlocks = new Set(["begin", "process", "end", "dynamicparam", "clean"]);

/** Words that continue a statement and can't begin one. */
const continuations = new Set(["catch", "else", "elseif", "finally", "in", "param", "until"]);

class Parser extends Reader {
  /** Between the arguments of a method a comma makes no list. */
  private commaMakesList = true;

  script(): ScriptBody {
    if (this.text.startsWith("\ufeff")) {
      this.at = 1;
    }
    const start = this.at;
    const body = this.scriptBody(start);
    if (this.at < this.text.length) {
      this.fail(`unexpected '${this.peek()}'`);
    }
    return { ...body, position: this.span(start, this.text.length) };
  }

  private withCommas<T>(makeLists: boolean, rule: () => T): T {
    const before = this.commaMakesList;
    this.commaMakesList = makeLists;
    const result = rule();
    this.commaMakesList = before;
    return result;
  }

  // Bodies and parameters

  /** What stands between braces, or the whole text. */
  private scriptBody(start: number): ScriptBody {
    const { attributes, parameters } = this.paramBlock();
    const process = this.attempt(() => {
      this.newlines();
      return this.passWord("process") && /^\s*\{/.test(this.text.slice(this.at))
        ? this.block()
        : undefined;
    });
    if (process) {
      this.newlines();
    }
    const statements = process ?? this.statements();
    const forEachInput = process !== undefined;
    return {
      kind: "ScriptBody",
      attributes,
      parameters,
      statements,
      forEachInput,
      position: this.since(start),
    };
  }

  private paramBlock(): Pick<ScriptBody, "attributes" | "parameters"> {
    const block = this.attempt(() => {
      const attributes: Attribute[] = [];
      for (this.newlines(); this.attributeFollows(); this.newlines()) {
        attributes.push(this.attribute());
      }
      return this.passWord("param") ? { attributes, parameters: this.parameters() } : undefined;
    });
    return block ?? { attributes: [], parameters: undefined };
  }

  /** `[Name(`: an attribute and no type. */
  private attributeFollows(): boolean {
    return /^\[\s*[\p{L}_][\p{L}\p{Nd}_.]*\s*\(/u.test(this.text.slice(this.at, this.at + 200));
  }

  private parameters(): Parameter[] {
    this.newlines();
    const opener = this.at;
    this.expect("(", "parameters");
    const parameters: Parameter[] = [];
    this.separated(opener, () => parameters.push(this.parameter()));
    return parameters;
  }

  /** The rest of parentheses with something between commas. */
  private separated(opener: number, rule: () => void): void {
    this.withCommas(false, () => {
      this.newlines();
      let isNext = !this.looksAt(")");
      while (isNext) {
        rule();
        this.newlines();
        isNext = this.pass(",");
        this.newlines();
      }
      this.close(")", opener);
    });
  }

  private parameter(): Parameter {
    const start = this.at;
    const attributes: Attribute[] = [];
    let type: TypeName | undefined;
    for (; this.looksAt("["); this.newlines()) {
      if (this.attributeFollows()) {
        attributes.push(this.attribute());
      } else if (type === undefined) {
        type = this.typeName();
      } else {
        this.refuse("a second type of a parameter");
      }
    }
    if (this.peek() !== "$") {
      this.fail(`a parameter expected, not ${this.found()}`);
    }
    const { name } = this.variable();
    const defaultValue = this.attempt(() => {
      this.newlines();
      if (!this.pass("=")) {
        return undefined;
      }
      this.newlines();
      return this.expression();
    });
    return { kind: "Parameter", name, type, attributes, defaultValue, position: this.since(start) };
  }

  private attribute(): Attribute {
    const start = this.at;
    this.expect("[", "attribute");
    this.newlines();
    const from = this.at;
    while (isNameCharacter(this.peek()) || this.peek() === ".") {
      this.at += 1;
    }
    const name = this.text.slice(from, this.at);
    this.newlines();
    const opener = this.at;
    this.expect("(", "attribute");
    const args: Expression[] = [];
    const named: { name: string; value?: Expression }[] = [];
    this.separated(opener, () => {
      const key = this.attempt(() => this.simpleName());
      if (key === undefined) {
        args.push(this.expression());
        return;
      }
      this.newlines();
      named.push({ name: key, value: this.pass("=") ? this.attributeValue() : undefined });
    });
    this.newlines();
    this.close("]", start);
    return { kind: "Attribute", name, args, named, position: this.since(start) };
  }

  private attributeValue(): Expression {
    this.newlines();
    return this.expression();
  }

  // Statements

  private statements(): Statement[] {
    const statements: Statement[] = [];
    for (;;) {
      this.newlines();
      while (this.pass(";")) {
        this.newlines();
      }
      if (this.at >= this.text.length || this.looksAt(")") || this.looksAt("}")) {
        return statements;
      }
      const statement = this.statement();
      statements.push(statement);
      this.space();
      if (!endsWithBlock(statement)) {
        this.expectEnd();
      }
    }
  }

  /** After a statement that doesn't end by its own brace. */
  private expectEnd(): void {
    if (this.atEnd()) {
      return;
    }
    this.refuseUnsupportedOperator();
    this.fail(`unexpected ${this.found()} behind a statement`);
  }

  private atEnd(): boolean {
    const character = this.peek();
    return character === "" || isNewline(character) || oneOf(";)}", character);
  }

  private statement(): Statement {
    const start = this.at;
    const word = this.wordHere();
    switch (word) {
      case "if":
        return this.ifStatement();
      case "while": {
        this.at += word.length;
        const condition = this.condition();
        return { kind: "While", condition, body: this.block(), position: this.since(start) };
      }
      case "do":
        return this.doLoop();
      case "for":
        return this.forLoop();
      case "foreach":
        return this.forEach();
      case "try":
        return this.tryStatement();
      case "throw":
        return this.flow("Throw");
      case "return":
        return this.flow("Return");
      case "exit":
        return this.flow("Exit");
      case "break":
        return this.jump("Break");
      case "continue":
        return this.jump("Continue");
      case "function":
        return this.functionDefinition();
    }
    if (unsupportedStatements.has(word)) {
      this.refuse(`'${word}'`);
    }
    if (namedBlocks.has(word) && /^\s*\{/.test(this.text.slice(this.at + word.length))) {
      this.refuse(`a '${word}' block`);
    }
    if (continuations.has(word)) {
      this.fail(`'${word}' can't begin a statement`);
    }
    if (this.peek() === ":" && isLetter(this.peek(1))) {
      this.refuse("the label of a loop");
    }
    return this.pipelineOrAssignment();
  }

  private block(): Statement[] {
    this.newlines();
    const opener = this.at;
    if (!this.pass("{")) {
      this.fail(`'{' expected, not ${this.found()}`);
    }
    return this.withCommas(true, () => {
      const statements = this.statements();
      this.close("}", opener);
      return statements;
    });
  }

  /** A pipeline in parentheses, as loops and `if` have it. */
  private condition(): Pipeline | Assignment {
    this.newlines();
    const opener = this.at;
    this.expect("(", "condition");
    return this.inParentheses(opener);
  }

  private inParentheses(opener: number): Pipeline | Assignment {
    return this.withCommas(true, () => {
      this.newlines();
      const statement = this.pipelineOrAssignment();
      this.newlines();
      this.close(")", opener);
      return statement;
    });
  }

  private ifStatement(): If {
    const start = this.at;
    this.at += "if".length;
    const clauses: If["clauses"][number][] = [];
    do {
      clauses.push({ condition: this.condition(), body: this.block() });
    } while (this.passContinuation("elseif"));
    const otherwise = this.passContinuation("else") ? this.block() : undefined;
    return { kind: "If", clauses, otherwise, position: this.since(start) };
  }

  private doLoop(): Statement {
    const start = this.at;
    this.at += "do".length;
    const body = this.block();
    const until = this.passContinuation("until");
    if (!until && !this.passContinuation("while")) {
      this.newlines();
      this.fail(`'while' or 'until' expected, not ${this.found()}`);
    }
    const condition = this.condition();
    return { kind: "DoLoop", body, condition, until, position: this.since(start) };
  }

  private forLoop(): For {
    const start = this.at;
    this.at += "for".length;
    this.newlines();
    const opener = this.at;
    this.expect("(", "for");
    const part = (): Pipeline | Assignment | undefined => {
      this.newlines();
      const missing = this.looksAt(";") || this.looksAt(")");
      const statement = missing ? undefined : this.pipelineOrAssignment();
      this.newlines();
      return statement;
    };
    const [initializer, condition, iterator] = this.withCommas(true, () => {
      const first = part();
      this.pass(";");
      const second = part();
      this.pass(";");
      return [first, second, part()];
    });
    this.close(")", opener);
    const body = this.block();
    const position = this.since(start);
    return { kind: "For", initializer, condition, iterator, body, position };
  }

  private forEach(): Statement {
    const start = this.at;
    this.at += "foreach".length;
    this.newlines();
    if (isDash(this.peek())) {
      this.refuse("a parameter of 'foreach'");
    }
    const opener = this.at;
    this.expect("(", "foreach");
    this.newlines();
    if (this.peek() !== "$") {
      this.fail(`a variable expected, not ${this.found()}`);
    }
    const variable = this.variable();
    this.newlines();
    if (!this.passWord("in")) {
      this.fail(`'in' expected, not ${this.found()}`);
    }
    const collection = this.inParentheses(opener);
    const body = this.block();
    return { kind: "ForEach", variable, collection, body, position: this.since(start) };
  }

  private tryStatement(): Try {
    const start = this.at;
    this.at += "try".length;
    const body = this.block();
    const catches: Try["catches"][number][] = [];
    while (this.passContinuation("catch")) {
      const types: TypeName[] = [];
      this.newlines();
      while (this.looksAt("[")) {
        types.push(this.typeName());
        this.newlines();
        if (!this.pass(",")) {
          break;
        }
        this.newlines();
        if (!this.looksAt("[")) {
          this.fail(`a type expected, not ${this.found()}`);
        }
      }
      catches.push({ types, body: this.block() });
    }
    const final = this.passContinuation("finally") ? this.block() : undefined;
    if (catches.length === 0 && final === undefined) {
      this.fail("'try' needs 'catch' or 'finally'", start);
    }
    return { kind: "Try", body, catches, final, position: this.since(start) };
  }

  private flow(kind: "Throw" | "Return" | "Exit"): Flow {
    const start = this.at;
    this.at += kind.length;
    this.space();
    const value = this.atEnd() ? undefined : this.pipelineOrAssignment();
    return { kind, value, position: this.since(start) };
  }

  private jump(kind: "Break" | "Continue"): Flow {
    const start = this.at;
    this.at += kind.length;
    this.space();
    if (!this.atEnd()) {
      this.refuse(`the label behind '${kind.toLowerCase()}'`);
    }
    return { kind, position: this.since(start) };
  }

  private functionDefinition(): FunctionDefinition {
    const start = this.at;
    this.at += "function".length;
    this.space();
    const from = this.at;
    while (!endsWord(this.peek())) {
      this.at += 1;
    }
    const name = this.text.slice(from, this.at);
    if (name === "") {
      this.fail("the function has no name");
    }
    this.newlines();
    const parameters = this.looksAt("(") ? this.parameters() : undefined;
    this.newlines();
    const written = this.braced();
    if (parameters !== undefined && written.parameters !== undefined) {
      this.fail("the function has parameters twice", start);
    }
    const body: ScriptBody = { ...written, parameters: parameters ?? written.parameters };
    return { kind: "FunctionDefinition", name, body, position: this.since(start) };
  }

  /** A body in braces. */
  private braced(): ScriptBody {
    const start = this.at;
    if (!this.pass("{")) {
      this.fail(`'{' expected, not ${this.found()}`);
    }
    return this.withCommas(true, () => {
      const body = this.scriptBody(start);
      this.close("}", start);
      return { ...body, position: this.since(start) };
    });
  }

  // Pipelines

  private pipelineOrAssignment(): Pipeline | Assignment {
    const start = this.at;
    const elements: (Command | ExpressionElement)[] = [];
    do {
      if (elements.length > 0) {
        this.newlines();
      }
      const first = this.at;
      if (!this.expressionFollows()) {
        elements.push(this.command());
      } else if (elements.length > 0) {
        this.fail("an expression can only be the first element of a pipeline");
      } else {
        const expression = this.expression();
        const operator = this.assignmentOperator();
        if (operator !== undefined) {
          return this.assignment(expression, operator, start);
        }
        const redirections = this.redirections();
        const position = this.since(first);
        elements.push({ kind: "ExpressionElement", expression, redirections, position });
      }
      this.space();
    } while (!this.looksAt("||") && this.pass("|"));
    return { kind: "Pipeline", elements, position: this.since(start) };
  }

  private assignmentOperator(): string | undefined {
    this.space();
    const operator = /^[-+*/%\u2013\u2014\u2015]?=/.exec(
      this.text.slice(this.at, this.at + 2),
    )?.[0];
    if (operator === undefined) {
      return undefined;
    }
    this.at += operator.length;
    return isDash(operator.charAt(0)) ? "-=" : operator;
  }

  private assignment(target: Expression, operator: string, start: number): Assignment {
    if (!canBeAssigned(target)) {
      this.fail("what stands before the assignment can't be assigned to", start);
    }
    this.newlines();
    if (this.atEnd()) {
      this.fail(`a value expected behind '${operator}', not ${this.found()}`);
    }
    const value = this.statement();
    return { kind: "Assignment", target, operator, value, position: this.since(start) };
  }

  /** Whether an element of a pipeline is an expression, not a command. */
  private expressionFollows(): boolean {
    const character = this.peek();
    if (isDigit(character) || (character === "." && isDigit(this.peek(1)))) {
      const number = scanNumber(this.text, this.at);
      return number !== undefined && !isNameCharacter(this.text.charAt(number.end));
    }
    return oneOf("$@([{,!+", character)
      ? true
      : isSingleQuote(character) || isDoubleQuote(character) || isDash(character);
  }

  private command(): Command {
    const start = this.at;
    const invocation = this.invocation();
    this.space();
    if (this.atEnd() || this.looksAt("|") || this.looksAt("&")) {
      this.fail(`a command expected, not ${this.found()}`);
    }
    const name = invocation === "" ? this.word() : this.argument();
    const elements: (Expression | CommandParameter)[] = [];
    const redirections: Redirection[] = [];
    for (;;) {
      this.space();
      if (this.atEnd() || this.looksAt("|") || this.looksAt("&")) {
        break;
      }
      const redirection = this.redirection();
      if (redirection === undefined) {
        elements.push(this.commandParameter() ?? this.arguments());
      } else {
        redirections.push(redirection);
      }
    }
    const position = this.since(start);
    return { kind: "Command", invocation, name, elements, redirections, position };
  }

  private invocation(): Command["invocation"] {
    if (this.pass("&")) {
      return "&";
    }
    const next = this.peek(1);
    const dots = endsWord(next) || next === "$" || isSingleQuote(next) || isDoubleQuote(next);
    return dots && this.pass(".") ? "." : "";
  }

  private commandParameter(): CommandParameter | undefined {
    const start = this.at;
    if (!isDash(this.peek()) || !(isLetter(this.peek(1)) || this.peek(1) === "?")) {
      if (this.looksAt("--%")) {
        this.refuse("'--%'");
      }
      return undefined;
    }
    let end = start + 1;
    while (!endsWord(this.text.charAt(end)) && !oneOf(".[:", this.text.charAt(end))) {
      if (isSingleQuote(this.text.charAt(end)) || isDoubleQuote(this.text.charAt(end))) {
        // -x"y" is a text.
        return undefined;
      }
      end += 1;
    }
    const name = this.text.slice(start + 1, end);
    this.at = end;
    let value: Expression | undefined;
    if (this.pass(":")) {
      this.space();
      if (this.atEnd() || this.looksAt("|")) {
        this.fail(`a value expected behind '-${name}:', not ${this.found()}`);
      }
      value = this.arguments();
    }
    return { kind: "CommandParameter", name, value, position: this.since(start) };
  }

  private redirections(): Redirection[] {
    const redirections: Redirection[] = [];
    for (;;) {
      this.space();
      const redirection = this.redirection();
      if (redirection === undefined) {
        return redirections;
      }
      redirections.push(redirection);
    }
  }

  private redirection(): Redirection | undefined {
    const start = this.at;
    const match = /^([1-6*]?)>(?:&([12])|(>?))/.exec(this.text.slice(start, start + 4));
    if (match === null) {
      if (this.looksAt("<")) {
        this.fail("'<' is reserved");
      }
      return undefined;
    }
    const [whole, source, merged, second] = match;
    const stream = source || "1";
    const append = second === ">";
    this.at += whole.length;
    if (merged !== undefined) {
      const target = { stream: merged };
      return { kind: "Redirection", stream, append, target, position: this.since(start) };
    }
    this.space();
    if (this.atEnd()) {
      this.fail(`a file expected behind '${whole}', not ${this.found()}`);
    }
    const target = this.argument();
    return { kind: "Redirection", stream, append, target, position: this.since(start) };
  }

  // Arguments

  /** One argument, or a list of them with commas. */
  private arguments(): Expression {
    const start = this.at;
    const first = this.looksAt(",") ? this.unaryComma(() => this.argument()) : this.argument();
    const items = [first];
    while (this.attempt(() => this.passComma())) {
      this.newlines();
      items.push(this.argument());
    }
    return items.length === 1
      ? first
      : { kind: "ArrayLiteral", items, position: this.since(start) };
  }

  private passComma(): true | undefined {
    this.space();
    return this.pass(",") || undefined;
  }

  private unaryComma(rule: () => Expression): Expression {
    const start = this.at;
    this.at += 1;
    this.newlines();
    const operand = rule();
    return { kind: "Unary", operator: ",", operand, postfix: false, position: this.since(start) };
  }

  private argument(): Expression {
    const start = this.at;
    const character = this.peek();
    if (isSingleQuote(character) || isDoubleQuote(character) || oneOf("({@", character)) {
      return this.primary();
    }
    if (character === "$" && this.argumentIsExpression()) {
      return this.primary();
    }
    const number = scanNumber(this.text, start);
    if (number !== undefined && character !== "+" && endsWord(this.text.charAt(number.end))) {
      const constant = this.number();
      return { ...constant, written: this.text.slice(start, this.at) };
    }
    return this.word();
  }

  /** Whether `$` begins more than a part of a word: `$x.Name` does, `$x\name` doesn't. */
  private argumentIsExpression(): boolean {
    if (this.peek(1) === "(") {
      return true;
    }
    const start = this.at;
    const isVariable = this.variableFollows();
    if (isVariable) {
      this.variable();
    }
    const next = this.peek();
    const ends = endsWord(next) || next === "." || next === "[" || this.looksAt("::");
    this.at = start;
    return isVariable && ends;
  }

  /** A bare word, with all that is quoted or a variable in it. */
  private word(): Expression {
    const start = this.at;
    const parts: (string | Expression)[] = [];
    for (;;) {
      const character = this.peek();
      if (endsWord(character)) {
        break;
      }
      if (character === "`" && this.at + 1 < this.text.length) {
        if (isNewline(this.peek(1))) {
          break;
        }
        parts.push(escaped(this.peek(1)));
        this.at += 2;
      } else if (isSingleQuote(character)) {
        parts.push(this.literalText());
      } else if (isDoubleQuote(character)) {
        parts.push(...this.expandableParts());
      } else if (character === "$") {
        parts.push(this.dollar());
      } else {
        parts.push(character);
        this.at += 1;
      }
    }
    if (this.at === start) {
      this.refuseUnsupportedOperator();
      this.fail(`a word expected, not ${this.found()}`);
    }
    return this.textOf(parts, start);
  }

  // Expressions

  private expression(): Expression {
    return this.binary(1);
  }

  private binary(lowest: number): Expression {
    const start = this.at;
    let left = this.list();
    for (;;) {
      this.space();
      const operator = this.operatorHere();
      const rank = operator === undefined ? undefined : rankOf.get(operator.name);
      if (operator === undefined || rank === undefined || rank < lowest) {
        return left;
      }
      this.at = operator.end;
      this.newlines();
      const right = this.binary(rank + 1);
      const position = this.since(start);
      left = { kind: "Binary", operator: operator.name, left, right, position };
    }
  }

  /** The operator at this place, and where it ends; undefined before assignments. */
  private operatorHere(): { name: string; end: number } | undefined {
    const character = this.peek();
    if (character === "" || this.peek(1) === "=") {
      return undefined;
    }
    if (isDash(character) && isLetter(this.peek(1))) {
      let end = this.at + 1;
      while (isNameCharacter(this.text.charAt(end))) {
        end += 1;
      }
      const name = `-${this.text.slice(this.at + 1, end).toLowerCase()}`;
      const plain = name.startsWith("-i") ? `-${name.slice(2)}` : name;
      return { name: rankOf.has(name) || !rankOf.has(`-c${plain.slice(1)}`) ? name : plain, end };
    }
    if (this.looksAt("..")) {
      return { name: "..", end: this.at + 2 };
    }
    if (isDash(character)) {
      return { name: "-", end: this.at + 1 };
    }
    return oneOf("+*/%", character) ? { name: character, end: this.at + 1 } : undefined;
  }

  private list(): Expression {
    const start = this.at;
    const first = this.unary();
    const items = [first];
    while (this.commaMakesList && this.attempt(() => this.passComma())) {
      this.newlines();
      items.push(this.unary());
    }
    return items.length === 1
      ? first
      : { kind: "ArrayLiteral", items, position: this.since(start) };
  }

  private unary(): Expression {
    const start = this.at;
    const character = this.peek();
    if (character === "," && this.commaMakesList) {
      return this.unaryComma(() => this.unary());
    }
    if (character === "[") {
      return this.castOrType();
    }
    const operator = this.unaryOperator();
    if (operator === undefined) {
      return this.postfix(this.primary(), start);
    }
    this.newlines();
    const operand = this.unary();
    return { kind: "Unary", operator, operand, postfix: false, position: this.since(start) };
  }

  /** Passes an operator before its operand. A sign before digits is none, it belongs to the number. */
  private unaryOperator(): string | undefined {
    const character = this.peek();
    if (character === "!") {
      this.at += 1;
      return "!";
    }
    if (character !== "+" && !isDash(character)) {
      return undefined;
    }
    const sign = character === "+" ? "+" : "-";
    const next = this.peek(1);
    if (isDigit(next) || (next === "." && isDigit(this.peek(2)))) {
      return undefined;
    }
    if (next === "+" || isDash(next)) {
      this.at += 2;
      return sign + sign;
    }
    if (!isLetter(next)) {
      this.at += 1;
      return sign;
    }
    const word = this.operatorHere();
    if (word === undefined || !unaryWords.has(word.name)) {
      this.fail(`a value expected, not ${this.found()}`);
    }
    this.at = word.end;
    return word.name;
  }

  private postfix(operand: Expression, start: number): Expression {
    const operator = this.attempt(() => {
      this.space();
      if (this.pass("++")) {
        return "++";
      }
      return isDash(this.peek()) && isDash(this.peek(1)) && ((this.at += 2), true)
        ? "--"
        : undefined;
    });
    return operator === undefined
      ? operand
      : { kind: "Unary", operator, operand, postfix: true, position: this.since(start) };
  }

  private castOrType(): Expression {
    const start = this.at;
    if (this.attributeFollows()) {
      this.refuse("an attribute before an expression");
    }
    const type = this.typeName();
    const literal: Expression = { kind: "TypeLiteral", type, position: this.since(start) };
    if (this.looksAt(".") || this.looksAt("::")) {
      return this.postfix(this.accesses(literal, start), start);
    }
    this.space();
    if (!this.operandFollows()) {
      return literal;
    }
    const operand = this.unary();
    return { kind: "Cast", type, operand, position: this.since(start) };
  }

  /** Whether what follows a type is cast to it. */
  private operandFollows(): boolean {
    const character = this.peek();
    const next = this.peek(1);
    if (isDash(character)) {
      const word = this.operatorHere();
      return isLetter(next) ? unaryWords.has(word?.name ?? "") : !isSpace(next);
    }
    return (
      oneOf("$@([{!", character) ||
      isSingleQuote(character) ||
      isDoubleQuote(character) ||
      isDigit(character) ||
      (character === "." && isDigit(next)) ||
      (character === "+" && !isSpace(next))
    );
  }

  // Values

  /** A value with its members, indexes and calls. */
  private primary(): Expression {
    const start = this.at;
    return this.accesses(this.value(), start);
  }

  private value(): Expression {
    const start = this.at;
    const character = this.peek();
    if (isSingleQuote(character)) {
      return { kind: "Constant", value: this.literalText(), position: this.since(start) };
    }
    if (isDoubleQuote(character)) {
      return this.textOf(this.expandableParts(), start);
    }
    switch (character) {
      case "$":
        return this.dollarValue();
      case "@":
        return this.atSign();
      case "(": {
        this.at += 1;
        const statement = this.inParentheses(start);
        return { kind: "Parenthesis", statement, position: this.since(start) };
      }
      case "{": {
        const block = this.braced();
        return { kind: "ScriptBlockLiteral", block, position: block.position };
      }
    }
    if (scanNumber(this.text, this.at) !== undefined) {
      return this.number();
    }
    return this.fail(`a value expected, not ${this.found()}`);
  }

  private number(): Constant {
    const start = this.at;
    const number = scanNumber(this.text, start);
    if (number === undefined) {
      return this.fail(`a number expected, not ${this.found()}`);
    }
    this.at = number.end;
    if (number.isDecimal) {
      this.refuse("a number of type decimal", start);
    }
    if (isNameCharacter(this.peek())) {
      this.fail(`unexpected ${this.found()} behind a number`);
    }
    return { kind: "Constant", value: number.value, position: this.since(start) };
  }

  private accesses(first: Expression, start: number): Expression {
    let object = first;
    for (;;) {
      if (this.looksAt("::") || (this.peek() === "." && this.peek(1) !== ".")) {
        object = this.member(object, start);
      } else if (this.looksAt("[")) {
        const opener = this.at;
        this.at += 1;
        const index = this.withCommas(true, () => {
          this.newlines();
          const inner = this.expression();
          this.newlines();
          return inner;
        });
        this.close("]", opener);
        object = { kind: "Index", object, index, position: this.since(start) };
      } else {
        return object;
      }
    }
  }

  private member(object: Expression, start: number): Expression {
    const isStatic = this.looksAt("::");
    this.at += isStatic ? 2 : 1;
    this.newlines();
    const name = this.memberName();
    if (!this.looksAt("(") && !this.looksAt("{")) {
      return { kind: "Member", object, name, isStatic, position: this.since(start) };
    }
    const args = this.looksAt("{") ? [this.value()] : this.methodArguments();
    return { kind: "MethodCall", object, name, isStatic, args, position: this.since(start) };
  }

  private memberName(): string | Expression {
    const character = this.peek();
    if (isSingleQuote(character) || isDoubleQuote(character) || oneOf("$(", character)) {
      const name = this.value();
      return name.kind === "Constant" && typeof name.value === "string" ? name.value : name;
    }
    const from = this.at;
    while (isNameCharacter(this.peek())) {
      this.at += 1;
    }
    if (this.at === from) {
      this.fail(`a member's name expected, not ${this.found()}`);
    }
    return this.text.slice(from, this.at);
  }

  private methodArguments(): Expression[] {
    const opener = this.at;
    this.at += 1;
    const args: Expression[] = [];
    this.separated(opener, () => args.push(this.expression()));
    return args;
  }

  private atSign(): Expression {
    const start = this.at;
    const next = this.peek(1);
    if (next === "(") {
      this.at += 2;
      const body = this.statementsInParentheses(start + 1);
      return { kind: "ArrayExpression", body, position: this.since(start) };
    }
    if (next === "{") {
      return this.hashtable();
    }
    if (isSingleQuote(next) || isDoubleQuote(next)) {
      return this.hereString();
    }
    if (!isVariableCharacter(next)) {
      this.fail(`unexpected ${this.found()}`);
    }
    return { ...this.variable(), splatted: true };
  }

  private statementsInParentheses(opener: number): Statement[] {
    return this.withCommas(true, () => {
      const body = this.statements();
      this.close(")", opener);
      return body;
    });
  }

  private hashtable(): HashtableLiteral {
    const start = this.at;
    this.at += 2;
    const pairs: HashtableLiteral["pairs"][number][] = [];
    const skip = (): void => {
      do {
        this.newlines();
      } while (this.pass(";"));
    };
    this.withCommas(true, () => {
      for (skip(); !this.looksAt("}") && this.at < this.text.length; skip()) {
        const key = this.hashtableKey();
        this.newlines();
        this.expect("=", "pair of a hashtable");
        this.newlines();
        if (this.atEnd()) {
          this.fail(`a value expected behind '=', not ${this.found()}`);
        }
        pairs.push({ key, value: this.statement() });
        this.space();
        if (!isNewline(this.peek()) && !this.looksAt(";")) {
          break;
        }
      }
      this.close("}", start + 1);
    });
    return { kind: "HashtableLiteral", pairs, position: this.since(start) };
  }

  private hashtableKey(): Expression {
    const start = this.at;
    const name = this.attempt(() => this.simpleName());
    return name === undefined
      ? this.unary()
      : { kind: "Constant", value: name, position: this.since(start) };
  }

  // Variables and texts

  private dollarValue(): Expression {
    const start = this.at;
    if (this.peek(1) === "(") {
      this.at += 2;
      const body = this.statementsInParentheses(start + 1);
      return { kind: "SubExpression", body, position: this.since(start) };
    }
    return this.variableFollows() ? this.variable() : this.fail(`unexpected ${this.found()}`);
  }

  /** What `$` stands for within a text. */
  private dollar(): string | Expression {
    if (this.peek(1) === "(" || this.variableFollows()) {
      return this.dollarValue();
    }
    this.at += 1;
    return "$";
  }

  /** The parts of a text in double quotes. */
  private expandableParts(): (string | Expression)[] {
    const opener = this.at;
    const parts: (string | Expression)[] = [];
    this.at += 1;
    for (;;) {
      const character = this.peek();
      if (character === "") {
        this.at = opener;
        this.fail("the quote is not closed");
      }
      if (isDoubleQuote(character)) {
        if (!isDoubleQuote(this.peek(1))) {
          this.at += 1;
          return parts;
        }
        parts.push(character);
        this.at += 2;
      } else {
        parts.push(this.expandablePart());
      }
    }
  }

  private expandablePart(): string | Expression {
    const character = this.peek();
    if (character === "$") {
      return this.dollar();
    }
    if (character === "`" && this.at + 1 < this.text.length) {
      this.at += 2;
      return escaped(this.peek(-1));
    }
    this.at += 1;
    return character;
  }

  /** Lines between `@'` and `'@`, without the last end of a line. */
  private hereString(): Expression {
    const start = this.at;
    const isQuote = isSingleQuote(this.peek(1)) ? isSingleQuote : isDoubleQuote;
    this.at += 2;
    while (isSpace(this.peek())) {
      this.at += 1;
    }
    if (!isNewline(this.peek())) {
      this.fail("nothing may follow the beginning of a here-string on its line", start);
    }
    const lineEnd = (): number => (this.looksAt("\r\n") ? 2 : isNewline(this.peek()) ? 1 : 0);
    const closes = (): boolean => isQuote(this.peek(lineEnd())) && this.peek(lineEnd() + 1) === "@";
    const parts: (string | Expression)[] = [];
    // An empty one ends with the end of its first line.
    if (!closes()) {
      this.at += lineEnd();
      while (lineEnd() === 0 || !closes()) {
        if (this.at >= this.text.length) {
          this.at = start;
          this.fail("the here-string is not closed");
        }
        if (isQuote === isDoubleQuote) {
          parts.push(this.expandablePart());
        } else {
          parts.push(this.peek());
          this.at += 1;
        }
      }
    }
    this.at += lineEnd() + 2;
    return this.textOf(parts, start);
  }

  /** A text of parts: a constant, unless there is something to expand. */
  private textOf(parts: readonly (string | Expression)[], start: number): Expression {
    const position = this.since(start);
    const joined: (string | Expression)[] = [];
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

function endsWithBlock(statement: Statement): boolean {
  if (statement.kind === "Assignment") {
    return endsWithBlock(statement.value);
  }
  return ["If", "While", "For", "ForEach", "Try", "FunctionDefinition"].includes(statement.kind);
}

function canBeAssigned(target: Expression): boolean {
  if (target.kind === "Cast") {
    return canBeAssigned(target.operand);
  }
  return target.kind === "ArrayLiteral"
    ? target.items.every(canBeAssigned)
    : ["Variable", "Member", "Index"].includes(target.kind);
}
