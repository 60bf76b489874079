import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Node } from "web-tree-sitter";

import { parse } from "../../../../rehearsal/powershell/parser.ts";
import { visit } from "../../../../rehearsal/powershell/subset.ts";
import type { AnyNode } from "../../../../rehearsal/powershell/syntax.ts";
import { parsePowerShell } from "../../windows/step-scripts.ts";

const repository = path.resolve(import.meta.dirname, "../../../..");

/** A node that both trees have: where it stands, and what the grammar calls it. */
interface Fact {
  readonly start: number;
  readonly end: number;
  readonly what: string;
}

/** What the grammar calls a node of ours, with the same beginning and end. */
const grammarNames: Readonly<Record<string, string>> = {
  ArrayExpression: "array_expression",
  ArrayLiteral: "array_literal_expression",
  Assignment: "assignment_expression",
  Attribute: "attribute",
  Binary: "binary",
  Break: "flow_control_statement",
  Cast: "cast_expression",
  Command: "command",
  CommandParameter: "command_parameter",
  Continue: "flow_control_statement",
  DoLoop: "do_statement",
  Exit: "flow_control_statement",
  For: "for_statement",
  ForEach: "foreach_statement",
  FunctionDefinition: "function_statement",
  HashtableLiteral: "hash_literal_expression",
  If: "if_statement",
  Index: "element_access",
  Member: "member_access",
  MethodCall: "invokation_expression",
  Parameter: "variable",
  Parenthesis: "parenthesized_expression",
  Return: "flow_control_statement",
  ScriptBlockLiteral: "script_block_expression",
  SubExpression: "sub_expression",
  Throw: "flow_control_statement",
  Try: "try_statement",
  TypeName: "type_literal",
  Unary: "unary",
  Variable: "variable",
  While: "while_statement",
};

function ours(file: string, text: string): Fact[] {
  const facts: Fact[] = [];
  visit(parse({ path: file, text }), (node) => facts.push(...factsOf(node, text)));
  return facts;
}

function factsOf(node: AnyNode, text: string): Fact[] {
  const { start, end } = node.position;
  if (node.kind === "Constant" && typeof node.value !== "string") {
    return [{ start: /[-+]/.test(text.charAt(start)) ? start + 1 : start, end, what: "number" }];
  }
  if (node.kind === "Constant" || node.kind === "ExpandableString") {
    return /^@?['"]/.test(text.slice(start, end)) ? [{ start, end, what: "string_literal" }] : [];
  }
  const what = grammarNames[node.kind];
  if (what === undefined) return [];
  if (node.kind === "CommandParameter") return [{ start, end: start + 1 + node.name.length, what }];
  if (node.kind === "Parameter") {
    // Its name is no node of its own.
    const before = [...node.attributes, node.type].map((each) => each?.position.end ?? start);
    const from = text.indexOf(`$${node.name}`, Math.max(start, ...before));
    return [{ start: from, end: from + 1 + node.name.length, what }];
  }
  return [{ start, end, what }];
}

function theirs(node: Node, text: string): Fact[] {
  const below = node.children.flatMap((child) => (child ? theirs(child, text) : []));
  const what = nameOf(node);
  if (what === undefined) return below;
  const args = what === "member_access" ? argumentListBehind(node) : undefined;
  const start = node.startIndex;
  // Commands have the space behind them.
  const { length } = text.slice(start, (args ?? node).endIndex).trimEnd();
  return [{ start, end: start + length, what: args ? "invokation_expression" : what }, ...below];
}

const names = new Set(Object.values(grammarNames));
const chain =
  /^(logical|bitwise|comparison|additive|multiplicative|format|range)_(argument_)?expression$/;

/** What a node of the grammar is called in facts; undefined: it is none of ours. */
function nameOf({ type, text, childCount, firstChild }: Node): string | undefined {
  if (chain.test(type)) return childCount > 1 ? "binary" : undefined;
  if (/^(pre|post)_(in|de)crement_expression$/.test(type)) return "unary";
  if (type === "expression_with_unary_operator") {
    // A sign before digits belongs to the number.
    return childCount > 1 && !/^[-+][0-9]+$/.test(text) ? "unary" : undefined;
  }
  if (type === "array_literal_expression") return childCount > 1 ? type : undefined;
  if (type === "attribute") return firstChild?.text === "[" ? type : undefined;
  if (/^(integer|real)_literal$/.test(type)) return "number";
  return names.has(type) || type === "string_literal" ? type : undefined;
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
  const files = [...scriptsBelow("components"), ...scriptsBelow("images")];

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
