import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Node } from "web-tree-sitter";

import { parse } from "../../../powershell/parser.ts";
import type { AnyNode } from "../../../powershell/syntax.ts";
import { parsePowerShell } from "../windows/step-scripts.ts";

const repository = path.resolve(import.meta.dirname, "../../..");

/** Something that both trees know: where it stands, and what it is. */
interface Fact {
  readonly start: number;
  readonly end: number;
  readonly what: string;
}

/** Kinds of nodes that both have, with the same beginning and end. */
const sameKinds: Readonly<Record<string, string>> = {
  ArrayExpression: "array_expression",
  Break: "flow_control_statement",
  Continue: "flow_control_statement",
  Exit: "flow_control_statement",
  Return: "flow_control_statement",
  Cast: "cast_expression",
  DoLoop: "do_statement",
  For: "for_statement",
  ForEach: "foreach_statement",
  FunctionDefinition: "function_statement",
  HashtableLiteral: "hash_literal_expression",
  If: "if_statement",
  Index: "element_access",
  Parenthesis: "parenthesized_expression",
  ScriptBlockLiteral: "script_block_expression",
  SubExpression: "sub_expression",
  Throw: "flow_control_statement",
  Try: "try_statement",
  TypeName: "type_literal",
  Variable: "variable",
  While: "while_statement",
};

const theirKinds = new Set(Object.values(sameKinds));

/** A node and all below it. */
function* walk(value: unknown): Generator<AnyNode> {
  if (typeof value !== "object" || value === null) return;
  if ("kind" in value && "position" in value) {
    yield value as AnyNode;
  }
  for (const [key, child] of Object.entries(value)) {
    if (key !== "position") {
      yield* walk(child);
    }
  }
}

function ours(file: string, text: string): Fact[] {
  return [...walk(parse({ path: file, text }))].flatMap((node) => factsOf(node, text));
}

function factsOf(node: AnyNode, text: string): Fact[] {
  const { start, end } = node.position;
  const written = (of: AnyNode): string => text.slice(of.position.start, of.position.end);
  const fact = (what: string, from = start, to = end): Fact => ({ start: from, end: to, what });
  const same = sameKinds[node.kind];
  if (same !== undefined) return [fact(same)];
  if (node.kind === "ArrayLiteral") return [fact(`list of ${node.items.length}`)];
  if (node.kind === "Assignment" || node.kind === "Binary" || node.kind === "Unary") {
    return [fact(`${node.kind.toLowerCase()} ${node.operator}`)];
  }
  if (node.kind === "Attribute") return [fact(`attribute ${node.name}`)];
  if (node.kind === "Command") return [fact(`command ${written(node.name)}`)];
  if (node.kind === "CommandParameter") {
    return [fact("parameter", start, start + 1 + node.name.length)];
  }
  if (node.kind === "Constant" && typeof node.value !== "string") {
    return [fact("number", /^[-+]/.test(written(node)) ? start + 1 : start)];
  }
  if (node.kind === "Constant" || node.kind === "ExpandableString") {
    return /^@?['"]/.test(written(node)) ? [fact("text")] : [];
  }
  if (node.kind === "Member" || node.kind === "MethodCall") {
    return [fact(`${node.kind} ${node.name}`)];
  }
  if (node.kind === "Parameter") {
    // Its name is no node of its own.
    const before = [...node.attributes, node.type].map((each) => each?.position.end ?? start);
    const from = text.indexOf(`$${node.name}`, Math.max(start, ...before));
    return [fact("variable", from, from + 1 + node.name.length)];
  }
  return [];
}

function theirs(root: Node, text: string): Fact[] {
  const facts: Fact[] = [];
  const visit = (node: Node): void => {
    const argumentList = node.type === "member_access" ? argumentListBehind(node) : undefined;
    const end = argumentList?.endIndex ?? node.endIndex;
    const what = theirKinds.has(node.type) ? node.type : describedAs(node);
    if (what !== undefined) {
      // Commands have the space behind them.
      const length = text.slice(node.startIndex, end).trimEnd().length;
      facts.push({
        start: node.startIndex,
        end: node.startIndex + length,
        what: argumentList === undefined ? what : what.replace("Member", "MethodCall"),
      });
    }
    node.children.forEach((child) => child && visit(child));
  };
  visit(root);
  return facts;
}

/** In an argument, the grammar has the parentheses of a method's call beside it. */
function argumentListBehind(member: Node): Node | undefined {
  let outermost = member;
  while (outermost.parent?.endIndex === member.endIndex) {
    outermost = outermost.parent;
  }
  const next = outermost.nextSibling;
  return next?.type === "argument_list" ? next : undefined;
}

const chain =
  /^(logical|bitwise|comparison|additive|multiplicative|format|range)_(argument_)?expression$/;

function describedAs(node: Node): string | undefined {
  const children = node.children.filter((child) => child !== null);
  const [first, second] = children;
  const memberName = (): string =>
    (children.find((child) => child.type === "member_name")?.text ?? "").replace(/^'(.*)'$/, "$1");
  if (chain.test(node.type)) {
    return children.length > 1 ? `binary ${second?.text.toLowerCase()}` : undefined;
  }
  switch (node.type) {
    case "array_literal_expression":
      return children.length > 1 ? `list of ${(children.length + 1) / 2}` : undefined;
    case "assignment_expression":
      return `assignment ${second?.text}`;
    case "attribute":
      return first?.text === "[" ? `attribute ${second?.text}` : undefined;
    case "command":
      return `command ${children.find((child) => child.type.startsWith("command_name"))?.text}`;
    case "command_parameter":
      return "parameter";
    case "expression_with_unary_operator":
      // A sign before digits belongs to the number.
      return children.length > 1 && !/^[-+][0-9]+$/.test(node.text)
        ? `unary ${first?.text.toLowerCase()}`
        : undefined;
    case "integer_literal":
    case "real_literal":
      return "number";
    case "invokation_expression":
      return `MethodCall ${memberName()}`;
    case "member_access":
      return `Member ${memberName()}`;
    case "post_decrement_expression":
    case "post_increment_expression":
      return `unary ${second?.text}`;
    case "pre_decrement_expression":
    case "pre_increment_expression":
      return `unary ${first?.text}`;
    case "string_literal":
      return "text";
    default:
      return undefined;
  }
}

function scriptsBelow(folder: string): string[] {
  return readdirSync(path.join(repository, folder), { recursive: true })
    .map((file) => path.posix.join(folder, String(file).split(path.sep).join("/")))
    .filter((file) => file.endsWith(".ps1"))
    .sort();
}

/** In the order of the text, each as a line to read. */
function shown(facts: readonly Fact[], file: string, text: string): string[] {
  return facts
    .slice()
    .sort((a, b) => a.start - b.start || a.end - b.end || (a.what < b.what ? -1 : 1))
    .map(({ start, end, what }) => {
      const line = text.slice(0, start).split("\n").length;
      return `${file}:${line}: ${what}: ${text.slice(start, end)}`;
    });
}

describe("The parser, compared with the grammar of tree-sitter", () => {
  const files = scriptsBelow("components");

  for (const file of files) {
    const text = readFileSync(path.join(repository, file), "utf8");

    it(`reads ${file} alike`, () => {
      const root = parsePowerShell(text);
      assert.equal(root.hasError, false, "tree-sitter can't read it");
      const mine = shown(ours(file, text), file, text);
      const other = shown(theirs(root, text), file, text);
      assert.deepEqual(mine, other);
    });
  }
});
