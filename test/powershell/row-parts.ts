/** The parts of a script that can stand in other scripts: where they are, and what they say. */
import { parse } from "../../rehearsal/powershell/parser.ts";
import type * as Syntax from "../../rehearsal/powershell/syntax.ts";

/** What can take a part's place: `access` is a member, a call or an index behind a value, `stage` a command behind a pipe. */
export type Role = "value" | "argument" | "type" | "operator" | "access" | "statement" | "stage";

/** A part of a text, between two offsets. */
export interface Part {
  readonly role: Role;
  readonly start: number;
  readonly end: number;
  /** A value that needs no parentheses wherever it stands. */
  readonly isClosed?: boolean;
  /** Values in it that could take its place, to make the script smaller. */
  readonly inner?: readonly Part[];
}

const closed = new Set(
  "ExpandableString Variable HashtableLiteral Parenthesis ArrayExpression SubExpression".split(" "),
);

/**
 * The parts of a script, which may have been parsed before. Loops with a condition are left as they are, because they might not
 * end; nor has what is assigned to, or a command's name, another in its place.
 *
 * @throws ScriptSyntaxError or Unsupported, as the parser does.
 */
export function partsOf(text: string, body = parse({ path: "<row>", text })): readonly Part[] {
  const parts: Part[] = [];
  new Walk(text, parts).body(body);
  return parts;
}

class Walk {
  constructor(
    private readonly text: string,
    private readonly parts: Part[],
  ) {}

  body({ parameters = [], statements }: Syntax.ScriptBody): void {
    for (const { type, attributes, defaultValue } of parameters) {
      if (type) this.#add("type", type);
      attributes.forEach(({ args }) => args.forEach((each) => this.#value(each)));
      if (defaultValue) this.#value(defaultValue);
    }
    this.#statements(statements);
  }

  #add(role: Role, { position }: { readonly position: Syntax.Position }, more?: Partial<Part>) {
    this.parts.push({ role, start: position.start, end: position.end, ...more });
  }

  #statements(statements: readonly Syntax.Statement[] = []): void {
    for (const each of statements) {
      this.#add("statement", each);
      this.#statement(each);
    }
  }

  #statement(node: Syntax.Statement): void {
    switch (node.kind) {
      case "Pipeline":
        node.elements.forEach((each, at) => {
          if (each.kind === "ExpressionElement") this.#value(each.expression);
          else this.#command(each, at > 0);
        });
        return;
      case "Assignment":
        this.#statement(node.value);
        return;
      case "If":
        node.clauses.forEach(({ condition, body }) => {
          this.#statement(condition);
          this.#statements(body);
        });
        this.#statements(node.otherwise);
        return;
      case "ForEach":
        this.#statement(node.collection);
        this.#statements(node.body);
        return;
      case "Try":
        this.#statements(node.body);
        node.catches.forEach(({ types, body }) => {
          types.forEach((type) => this.#add("type", type));
          this.#statements(body);
        });
        this.#statements(node.final);
        return;
      case "FunctionDefinition":
        this.body(node.body);
        return;
      case "Throw":
      case "Return":
      case "Exit":
        if (node.value) this.#statement(node.value);
        return;
      case "While":
      case "DoLoop":
      case "For":
      case "Break":
      case "Continue":
    }
  }

  #command(node: Syntax.Command, isPiped: boolean): void {
    if (isPiped) this.#add("stage", node);
    if (node.name.kind === "ScriptBlockLiteral") this.body(node.name.block);
    for (const each of node.elements) {
      const value = each.kind === "CommandParameter" ? each.value : each;
      if (!value) continue;
      this.#add("argument", value);
      if (value.kind !== "Constant") this.#value(value, false);
    }
  }

  /** What is in a value, and the value itself unless it has another role. */
  #value(node: Syntax.Expression, isPart = true): void {
    const first = this.parts.length;
    this.#inValue(node);
    const inner = this.parts.slice(first).filter(({ role }) => role === "value");
    const isText = node.kind === "Constant" && typeof node.value === "string";
    const isClosed = isText || closed.has(node.kind);
    if (isPart) this.#add("value", node, { isClosed, inner });
  }

  #inValue(node: Syntax.Expression): void {
    switch (node.kind) {
      case "Member":
      case "MethodCall":
      case "Index":
        this.#value(node.object);
        this.parts.push({
          role: "access",
          start: node.object.position.end,
          end: node.position.end,
        });
        if (node.kind === "Index") this.#value(node.index);
        if (node.kind === "MethodCall") node.args.forEach((each) => this.#value(each));
        return;
      case "Unary":
        // A step needs a variable.
        if (!/^(\+\+|--)$/.test(node.operator)) this.#value(node.operand);
        return;
      case "Binary":
        this.#operator(node);
        this.#value(node.left);
        this.#value(node.right);
        return;
      case "Cast":
        this.#add("type", node.type);
        if (!/^(ref|ordered)$/i.test(node.type.name)) this.#value(node.operand);
        return;
      case "ArrayLiteral":
        node.items.forEach((each) => this.#value(each));
        return;
      case "ArrayExpression":
      case "SubExpression":
        this.#statements(node.body);
        return;
      case "Parenthesis":
        this.#statement(node.statement);
        return;
      case "HashtableLiteral":
        node.pairs.forEach(({ value }) => this.#statement(value));
        return;
      case "ScriptBlockLiteral":
        this.body(node.block);
        return;
      case "ExpandableString":
        node.parts.forEach((each) => typeof each !== "string" && this.#value(each, false));
        return;
      case "TypeLiteral":
        this.#add("type", node.type);
        return;
      case "Constant":
      case "Variable":
    }
  }

  #operator({ left, right }: Syntax.Binary): void {
    const between = this.text.slice(left.position.end, right.position.start);
    const [word = ""] = /\S+/.exec(between) ?? [];
    const start = left.position.end + between.indexOf(word);
    // With a comment, or without blanks, it is not found so.
    if (/^(-[a-z]+|\.\.|[-+*/%])$/i.test(word)) {
      this.parts.push({ role: "operator", start, end: start + word.length });
    }
  }
}
